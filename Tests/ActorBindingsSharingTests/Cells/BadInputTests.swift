import ActorBindings
import ActorBindingsSharing
import ActorBindingsTesting
import Testing

/// Input and events that a program did not plan for.
@Suite(.timeLimit(.minutes(9))) struct BadInputTests {
  private let clock = ManualClock()
  private let base = InMemoryStore()
  private let store: ScriptedStore

  init() {
    store = ScriptedStore(base, clock: clock)
  }

  private func liveCell() async -> SharedCell<Int> {
    let cell = SharedCell("c/a", in: store, initially: 0)
    cell.start()
    _ = await cell.link.first { $0 == .live }
    return cell
  }

  @Test func `a key of 10 kB is refused, with the remedy`() async throws {
    let cell = SharedCell("c/" + String(repeating: "k", count: 10_240), in: store, initially: 0)
    let calls: [() async throws -> Void] = [
      { try await cell.modify { $0 = 1 } }, { try await cell.remove() },
    ]
    for call in calls {
      let error = await #expect(throws: StoreError.self) { try await call() }
      guard case .refused(let message) = error else { throw error ?? .historyLost }
      #expect(message.contains("10242 bytes") && message.contains("shorten it"))
    }
  }

  @Test func `a clock that jumps by a month renews the subscription, and the cell goes on`() async throws {
    let cell = await liveCell()
    for number in 1...3 {
      clock.jump(by: .seconds(30 * 24 * 3600))
      try await base.put(number, "c/a")
      _ = await cell.first { $0 == number }
      _ = await cell.link.first { $0 == .live }
    }
  }

  @Test func `a modify that is cancelled during its load throws, and writes nothing`() async throws {
    let cell = SharedCell("c/a", in: store, initially: 0)
    store.begin(.slow(.seconds(9)))
    let modify = Task { try await cell.modify { $0 += 1 } }
    _ = await clock.sleepers.first { $0 == 1 }
    modify.cancel()
    await #expect(throws: CancellationError.self) { try await modify.value }
    #expect(base.revision == StoreRevision(0))
  }

  @Test func `a modify that is cancelled before its write is sent throws, and writes nothing`() async throws {
    let cell = await liveCell()
    store.begin(.slow(.seconds(9)))
    let modify = Task { try await cell.modify { $0 += 1 } }
    _ = await clock.sleepers.first { $0 == 2 }  // The timer of the loop, and the request.
    modify.cancel()
    await #expect(throws: CancellationError.self) { try await modify.value }
    #expect(base.revision == StoreRevision(0))
    #expect(cell.value == 0)
  }

  @Test func `cells keep their store alive, and release it`() async throws {
    weak var remembered: InMemoryStore?
    do {
      var store: InMemoryStore? = InMemoryStore()
      remembered = store
      let cell = SharedCell("c/a", in: try #require(store), initially: 0)
      store = nil
      let token = cell.start()
      _ = await cell.link.first { $0 == .live }
      try await cell.modify { $0 = 5 }
      #expect(cell.value == 5)
      #expect(remembered != nil)
      await token.cancelAndWait()
    }
    while remembered != nil { await Task.yield() }
  }

  @Test func `changes of an earlier connection that come late do not replace newer values`() async throws {
    let cell = await liveCell()
    for number in 1...5 {
      try await base.put(number, "c/a")
      _ = await cell.first { $0 == number }
    }
    let version = cell.version
    store.begin(.lateChanges)
    clock.jump(by: .seconds(2))
    // The renewed subscription begins with the changes 1 to 5, and then yields this one.
    try await base.put(6, "c/a")
    _ = await cell.first { $0 == 6 }
    #expect(cell.version == version + 1)
  }
}
