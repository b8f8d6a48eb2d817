import ActorBindings
import ActorBindingsSharing
import Testing

@Suite(.timeLimit(.minutes(9))) struct SharedCellTests {
  private let store = InMemoryStore()

  /// Makes a cell that follows the store.
  private func cell(_ key: String = "config/a", initially: Int = 0) async throws -> SharedCell<Int> {
    let cell = SharedCell(key, in: store, initially: initially)
    cell.start()
    try await cell.ready()
    return cell
  }

  private func put(_ text: String?, _ key: String = "config/a") async throws {
    _ = try await store.write(StoreWrite(key: key, bytes: text.map { Array($0.utf8) }, expected: .anything))
  }

  @Test func `a cell holds the initial value until the first load`() async throws {
    try await put("7")
    let cell = SharedCell("config/a", in: store, initially: 1)
    #expect(cell.value == 1)
    #expect(cell.link.value == .idle)
    cell.start()
    try await cell.ready()
    #expect(cell.value == 7)
  }

  @Test func `diagnostics show where a cell was created, its name, and its readers`() throws {
    let cell = SharedCell("config/a", in: store, initially: 1).named("config")
    let line = #line - 1
    let other = SharedCell("config/a", in: store, initially: 1, codec: .json)
    #expect(cell.diagnostics.location?.description == "\(#fileID):\(line)")
    #expect(other.diagnostics.location?.description == "\(#fileID):\(line + 2)")
    #expect(cell.link.cursor.root.cell.diagnostics.location == cell.diagnostics.location)
    #expect(cell.diagnostics.name == "config")
    let token = cell.observe(on: .immediate) { _ in }
    #expect(try #require(cell.diagnostics.observers.first).location?.line == line + 7)
    #expect(BindingDiagnostics.all().contains { $0.id == cell.diagnostics.id })
    token.cancel()
  }

  @Test func `a cell of a key without an entry holds the initial value`() async throws {
    let cell = try await cell(initially: 5)
    #expect(cell.value == 5)
    try await put("6")
    _ = await cell.first { $0 == 6 }
    try await put(nil)
    _ = await cell.first { $0 == 5 }
  }

  @Test func `two cells of one key follow each other`() async throws {
    let first = try await cell()
    let second = try await cell()
    for number in 1...100 {
      try await first.modify { $0 = number }
      #expect(first.value == number)
      _ = await second.first { $0 == number }
    }
  }

  @Test func `a cell without a folder follows its key only`() async throws {
    let cell = try await cell("flags")
    try await put("1", "flagship")
    try await put("2", "flags")
    _ = await cell.first { $0 == 2 }
  }

  @Test func `modify works without run`() async throws {
    let cell = SharedCell("config/a", in: store, initially: 0)
    let result = try await cell.modify { value in
      value += 5
      return "done"
    }
    #expect(result == "done")
    #expect(cell.value == 5)
    #expect(store.followers.loopCount == 0)
  }

  @Test func `increments of many tasks lose none`() async throws {
    let first = try await cell()
    let second = SharedCell("config/a", in: store, initially: 0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for _ in 0..<50 { try await (task % 2 == 0 ? first : second).modify { $0 += 1 } }
        }
      }
      try await group.waitForAll()
    }
    _ = await first.first { $0 == 400 }
    #expect(try await second.modify { $0 } == 400)
  }

  private struct Stop: Error {}

  @Test func `a body that throws writes nothing`() async throws {
    let cell = try await cell()
    let revision = try await store.load(.key("config/a")).revision
    await #expect(throws: Stop.self) {
      try await cell.modify { value in
        value = 9
        throw Stop()
      }
    }
    #expect(try await store.load(.key("config/a")).revision == revision)
    #expect(cell.value == 0)
  }

  @Test func `remove removes the entry, and the cell holds the initial value`() async throws {
    let cell = try await cell(initially: 3)
    try await cell.modify { $0 = 8 }
    try await cell.remove()
    #expect(cell.value == 3)
    #expect(try await store.load(.key("config/a")).entries.isEmpty)
    try await cell.remove()
    #expect(cell.value == 3)
  }

  @Test func `the link is live once the subscription is confirmed, and idle after the end`() async throws {
    let cell = try await cell()
    let token = cell.start()
    _ = await cell.link.first { $0 == .live }
    await token.cancelAndWait()
    #expect(cell.link.value == .live, "the first run goes on")
  }

  @Test func `a cancelled run returns, and leaves nothing behind`() async throws {
    let cell = SharedCell("config/a", in: store, initially: 0)
    let run = Task { try await cell.run() }
    try await cell.ready()
    run.cancel()
    try await run.value
    #expect(cell.link.value == .idle)
    #expect(store.followers.loopCount + store.followers.taskCount + store.subscriptionCount == 0)
  }

  @Test func `a cell that is deallocated ends its run`() async throws {
    do { _ = try await cell() }
    await store.leftNothing()
  }

  @Test func `a value that cannot be decoded keeps the old one, and the link says so`() async throws {
    let cell = try await cell()
    try await cell.modify { $0 = 4 }
    try await put("no number")
    let link = await cell.link.first { if case .stale = $0 { true } else { false } }
    guard case .stale(_, let reason) = link else { return }
    #expect(reason.contains("config/a") && reason.contains("cannot be decoded"))
    #expect(cell.value == 4)
    await #expect(throws: StoreError.self) { try await cell.modify { $0 += 1 } }
    try await put("5")
    _ = await cell.first { $0 == 5 }
    _ = await cell.link.first { $0 == .live }
  }

  @Test func `an equal value makes no update`() async throws {
    let cell = SharedCell("config/a", in: store, initially: ["": 0])
    cell.start()
    try await cell.ready()
    try await put(#"{"a":1,"b":2}"#)
    _ = await cell.first { $0.count == 2 }
    let version = cell.version
    try await put(#"{ "b": 2, "a": 1 }"#)
    try await put(#"{"a":1,"b":2}"#)
    try await cell.modify { $0["a"] = 1 }
    #expect(cell.version == version)
    try await cell.modify { $0["a"] = 2 }
    #expect(cell.version == version + 1)
  }

  @Test(arguments: ["", "/a", "a/", "a//b", "..", "a/./b", "a\0"])
  func `a key that is not allowed is refused`(_ key: String) async throws {
    let cell = SharedCell(key, in: store, initially: 0)
    let calls: [() async throws -> Void] = [
      { try await cell.run() }, { try await cell.ready() }, { try await cell.modify { $0 = 1 } },
      { try await cell.remove() },
    ]
    for body in calls {
      let error = await #expect(throws: StoreError.self) { try await body() }
      guard case .refused(let message) = error else { throw error ?? .historyLost }
      #expect(message.contains(store.name))
    }
    guard case .ended = cell.link.value else {
      Issue.record("the link is \(cell.link.value)")
      return
    }
  }

  @Test func `a value over the limit is refused, and nothing changes`() async throws {
    let store = InMemoryStore(limits: StoreLimits(bytesPerEntry: 100))
    let cell = SharedCell("a", in: store, initially: "")
    let error = await #expect(throws: StoreError.self) {
      try await cell.modify { $0 = String(repeating: "x", count: 100) }
    }
    guard case .refused(let message) = error else { throw error ?? .historyLost }
    #expect(message.contains("\"a\"") && message.contains(store.name))
    #expect(cell.value == "")
  }
}

extension InMemoryStore {
  /// Returns when no loop, task or subscription is left.
  func leftNothing() async {
    while followers.loopCount + followers.taskCount + subscriptionCount > 0 { await Task.yield() }
  }
}

extension SharedCell {
  var version: UInt64 { cursor.cell.version }
}
