import ActorBindings
import ActorBindingsSharing
import ActorBindingsTesting
import Testing

/// Removals, and creations, whose acknowledgement was lost. The pauses between the attempts end only when a test says so.
@Suite(.timeLimit(.minutes(9))) struct LostRemovalTests {
  private let clock = ManualClock()
  private let counting = CountingStore(InMemoryStore())
  private let store: ScriptedStore

  init() {
    store = ScriptedStore(counting, clock: clock)
  }

  private func names() async throws -> SharedDictionary<String, Int> {
    let names = SharedDictionary<String, Int>("c/", in: store)
    try await names.modify(forKey: "a") { $0 = 1 }
    return names
  }

  /// Returns the result of a task that pauses, while the clock goes on.
  private func result<R>(of task: Task<R, any Error>) async -> Result<R, any Error> {
    let time = Task { [clock] in
      while !Task.isCancelled {
        clock.jump(by: .milliseconds(50))
        await Task.yield()
      }
    }
    defer { time.cancel() }
    return await task.result
  }

  private func paused() async { _ = await clock.sleepers.first { $0 == 1 } }

  private func expectUncertain(_ words: String, _ task: Task<Void, any Error>) async {
    guard case .failure(StoreError.uncertain(let message)) = await result(of: task) else {
      Issue.record("the call did not throw the error uncertain")
      return
    }
    #expect(message.contains(words))
  }

  @Test func `a modify that removes cannot tell which call has removed, and says so`() async throws {
    let names = try await names()
    store.begin(.acknowledgementsLost)
    let modify = Task { try await names.modify(forKey: "a") { $0 = nil } }
    await paused()
    store.mend()
    await expectUncertain("a call that only removes", modify)
  }

  @Test func `removeValue ends after a lost acknowledgement`() async throws {
    let names = try await names()
    store.begin(.acknowledgementsLost)
    let remove = Task { try await names.removeValue(forKey: "a") }
    await paused()
    store.mend()
    try await result(of: remove).get()
    #expect(names["a"] == nil)
    #expect(try await counting.load(.prefix("c/")).entries == [])
  }

  @Test func `a removal that was lost is sent again`() async throws {
    let names = try await names()
    store.begin(.writesLost)
    let modify = Task { try await names.modify(forKey: "a") { $0 = nil } }
    await paused()
    store.mend()
    try await result(of: modify).get()
    #expect(try await counting.load(.prefix("c/")).entries == [])
  }

  @Test func `a creation whose acknowledgement was lost is known from the entry`() async throws {
    let cell = SharedCell("c/a", in: store, initially: 0)
    store.begin(.acknowledgementsLost)
    let modify = Task { try await cell.modify { $0 += 1 } }
    await paused()
    store.mend()
    try await result(of: modify).get()
    #expect(cell.value == 1)
  }

  @Test func `a creation that another one may have replaced is uncertain`() async throws {
    let cell = SharedCell("c/a", in: store, initially: 0)
    store.begin(.acknowledgementsLost)
    let modify = Task { try await cell.modify { $0 += 1 } }
    await paused()
    try await counting.put(nil, "c/a")
    try await SharedCell("c/a", in: counting, initially: 0).modify { $0 = 50 }
    store.mend()
    await expectUncertain("the entry no longer tells", modify)
  }

  @Test func `an entry that was removed after a lost request is uncertain`() async throws {
    let cell = SharedCell("c/a", in: store, initially: 0)
    try await cell.modify { $0 = 5 }
    store.begin(.writesLost)
    let modify = Task { try await cell.modify { $0 += 1 } }
    await paused()
    try await counting.put(nil, "c/a")
    store.mend()
    await expectUncertain("the entry no longer tells", modify)
  }

  @Test func `an entry that another process removes during a modify is created again`() async throws {
    let names = try await names()
    names.start()
    _ = await names.link.first { $0 == .live }
    store.begin(.unavailable)
    let modify = Task { try await names.modify(forKey: "a") { $0 = ($0 ?? 10) + 1 } }
    _ = await clock.sleepers.first { $0 == 2 }  // The timer of the loop, and the pause.
    try await counting.put(nil, "c/a")
    store.mend()
    try await result(of: modify).get()
    #expect(names["a"] == 11)
  }
}

/// What the link says while a write waits for the store.
@Suite(.timeLimit(.minutes(9))) struct WaitingWriteTests {
  private let store = ScriptedStore(InMemoryStore())

  @Test func `the link tells why a modify waits, also of a cell that does not run`() async throws {
    let cell = SharedCell("c/a", in: store, initially: 0)
    store.begin(.unavailable)
    let modify = Task { try await cell.modify { $0 += 1 } }
    let link = await cell.link.first { $0 != .idle }
    #expect(link?.staleReason == "a write waits for the store in memory: the store cannot be reached")
    store.mend()
    try await modify.value
    #expect(cell.link.value == .idle)
  }

  @Test func `a cancelled modify takes its reason with it`() async throws {
    let cell = SharedCell("c/a", in: store, initially: 0)
    store.begin(.writesLost)
    let modify = Task { try await cell.modify { $0 += 1 } }
    _ = await cell.link.first { $0.staleReason != nil }
    modify.cancel()
    await #expect(throws: CancellationError.self) { try await modify.value }
    #expect(cell.link.value == .idle)
  }

  @Test func `the link tells why a presence waits`() async throws {
    let sessions = SharedDictionary<String, Int>("c/", in: store)
    store.begin(.unavailable)
    let presence = Task {
      try await sessions.withPresence(1, for: "ann", ttl: .seconds(10)) { sessions.link.value }
    }
    _ = await sessions.link.first { $0.staleReason != nil }
    store.mend()
    #expect(try await presence.value == .idle)
    #expect(sessions.link.value == .idle)
  }

  @Test func `a presence replaces an entry that this program cannot decode`() async throws {
    _ = try await store.write(StoreWrite(key: "c/ann", bytes: [1, 2, 3], expected: .anything))
    let sessions = SharedDictionary<String, Int>("c/", in: store)
    let seen = try await sessions.withPresence(7, for: "ann", ttl: .seconds(10)) { sessions["ann"] }
    #expect(seen == 7)
  }
}
