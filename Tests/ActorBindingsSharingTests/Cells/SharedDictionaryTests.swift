import ActorBindings
import ActorBindingsSharing
import ActorBindingsTesting
import Testing

@Suite(.timeLimit(.minutes(9))) struct SharedDictionaryTests {
  private let store = InMemoryStore()

  private func dictionary() async throws -> SharedDictionary<Int, String> {
    let dictionary = SharedDictionary<Int, String>("names/", in: store)
    dictionary.start()
    try await dictionary.ready()
    return dictionary
  }

  private func put(_ text: String?, _ key: String) async throws {
    _ = try await store.write(StoreWrite(key: key, bytes: text.map { Array($0.utf8) }, expected: .anything))
  }

  @Test func `diagnostics show where it was created, its name, and the readers of its keys`() {
    let names = SharedDictionary<Int, String>("names/", in: store).named("names")
    let line = #line - 1
    let other = SharedDictionary<Int, String>("names/", in: store, codec: .json)
    #expect(names.diagnostics.location?.description == "\(#fileID):\(line)")
    #expect(other.diagnostics.location?.description == "\(#fileID):\(line + 2)")
    #expect(names.link.cursor.root.cell.diagnostics.location == names.diagnostics.location)
    #expect(names.diagnostics.name == "names")
    let token = names.source(forKey: 1).observe(on: .immediate) { _ in }
    #expect(names.diagnostics.derived.flatMap(\.observers).map(\.location?.line) == [line + 7])
    token.cancel()
  }

  @Test func `it holds the entries below its prefix, and follows their changes`() async throws {
    try await put("\"one\"", "names/1")
    let names = try await dictionary()
    #expect(names[1] == "one")
    #expect(names.count == 1)
    try await put("\"two\"", "names/2")
    _ = await names.source(forKey: 2).first { $0 == "two" }
    try await put(nil, "names/1")
    _ = await names.source(forKey: 1).first { $0 == nil }
    #expect(Dictionary(names.value) == [2: "two"])
  }

  @Test func `modify writes one entry, and removes it by nil`() async throws {
    let names = try await dictionary()
    let other = try await dictionary()
    try await names.modify(forKey: 7) { $0 = "seven" }
    #expect(names[7] == "seven")
    _ = await other.source(forKey: 7).first { $0 == "seven" }
    #expect(try await store.load(.key("names/7")).entries.count == 1)
    try await other.modify(forKey: 7) { $0 = nil }
    #expect(other[7] == nil)
    _ = await names.source(forKey: 7).first { $0 == nil }
    #expect(try await store.load(.key("names/7")).entries.isEmpty)
    try await names.removeValue(forKey: 7)
  }

  @Test func `keys of the store that stand for no key are left out`() async throws {
    for name in ["x", "01", "+1", "1/2", "1"] { try await put("\"a\"", "names/\(name)") }
    let names = try await dictionary()
    #expect(Dictionary(names.value) == [1: "a"])
    #expect(names.link.value != .ended(reason: ""))
  }

  @Test func `a prefix without a slash is refused`() async throws {
    let names = SharedDictionary<Int, String>("names", in: store)
    let error = await #expect(throws: StoreError.self) { try await names.run() }
    #expect(error?.description.contains("names/") == true)
  }

  @Test func `a value that cannot be decoded concerns only its key`() async throws {
    let names = try await dictionary()
    try await names.modify(forKey: 1) { $0 = "one" }
    try await put("no text", "names/1")
    _ = await names.link.first { if case .stale = $0 { true } else { false } }
    #expect(names[1] == "one")
    try await put("\"two\"", "names/2")
    _ = await names.source(forKey: 2).first { $0 == "two" }
    try await put(nil, "names/1")
    _ = await names.link.first { $0 == .live }
    #expect(names[1] == nil)
  }

  @Test func `a load that follows trouble makes updates only for what has changed`() async throws {
    for number in 1...50 { try await put("\"\(number)\"", "names/\(number)") }
    let clock = ManualClock()
    let faulty = ScriptedStore(store, clock: clock)
    let names = SharedDictionary<Int, String>("names/", in: faulty)
    names.start()
    _ = await names.link.first { $0 == .live }
    var changes = names.changes(backlog: .unbounded).makeAsyncIterator()
    #expect(await changes.next()?.value.count == 50)
    faulty.endConnections()
    _ = await names.link.first { $0.staleReason != nil }
    try await put("\"new\"", "names/7")
    try await put("\"8\"", "names/8")
    try await put(nil, "names/9")
    clock.jump(by: .seconds(1))
    let change = try #require(await changes.next())
    #expect(Set(change.edits?.map(\.key) ?? []) == [7, 9], "an equal value and other keys are left out")
  }

  @Test func `removed keys leave nothing behind`() async throws {
    let names = try await dictionary()
    for number in 0..<200 {
      try await names.modify(forKey: number) { $0 = "x" }
      try await names.modify(forKey: number) { $0 = nil }
    }
    while names.knownKeyCount > 0 { await Task.yield() }
    #expect(names.isEmpty)
  }

  @Test func `writers of the same key and of others lose nothing`() async throws {
    let counts = SharedDictionary<Int, Int>("counts/", in: store)
    counts.start()
    try await counts.ready()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for _ in 0..<30 { try await counts.modify(forKey: task % 3) { $0 = ($0 ?? 0) + 1 } }
        }
      }
      try await group.waitForAll()
    }
    #expect(Dictionary(counts.value) == [0: 90, 1: 90, 2: 60])
  }

  @Test func `a dictionary that is deallocated leaves nothing behind`() async throws {
    do { _ = try await dictionary() }
    await store.leftNothing()
  }
}
