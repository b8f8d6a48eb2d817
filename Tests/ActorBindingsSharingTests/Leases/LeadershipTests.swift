import ActorBindings
import ActorBindingsSharing
import Testing

/// `withLeadership` with a ttl of 10 seconds: a renewal after 3.3, the loss after 8, the end of the lease after 10.
@Suite
struct LeadershipTests {
  private let fixture = LeadershipFixture()
  private var base: InMemoryStore { fixture.base }
  private var store: WatchedStore { fixture.store }
  private var clock: PausableClock { fixture.clock }
  private var journal: Journal<String> { fixture.journal }

  @Test
  func `a single candidate leads at once, with the revision of its entry as its fencing number`() async throws
  {
    let number = try await store.withLeadership(of: "feed", ttl: .seconds(10), clock: clock) { leadership in
      let entries = try await base.load(.prefix("leadership/feed/")).entries
      #expect(entries.map(\.revision.number) == [leadership.fencingNumber])
      #expect(leadership.isHeld)
      return leadership.fencingNumber
    }
    #expect(number > 0)
    try await fixture.expectNothingLeft()
  }

  @Test
  func `candidates lead in the order in which they came, one at a time`() async throws {
    var gates: [LeaseGate] = []
    var tasks: [Task<String, any Error>] = []
    for index in 0..<4 {
      gates.append(LeaseGate())
      tasks.append(fixture.candidate("\(index)", until: gates[index]))
      // The leader follows its own entry, each other candidate that of the one before it.
      await fixture.waiting(index + 1)
    }
    for index in 0..<4 {
      await journal.contains("\(index) leads")
      gates[index].open()
      #expect(try await tasks[index].value == "\(index) true")
    }
    #expect(journal.events == (0..<4).flatMap { ["\($0) leads", "\($0) ends"] })
    try await fixture.expectNothingLeft()
  }

  @Test
  func `fencing numbers rise from leader to leader`() async throws {
    let numbers = Journal<UInt64>()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask {
          try await store.withLeadership(of: "feed", ttl: .seconds(10), clock: clock) {
            numbers.append($0.fencingNumber)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(numbers.events.count == 20)
    #expect(numbers.events == numbers.events.sorted())
    #expect(Set(numbers.events).count == 20)
    try await fixture.expectNothingLeft()
  }

  @Test(arguments: [4, 16])
  func `a departure costs one load of the candidates, and no write, however many wait`(count: Int)
    async throws
  {
    let (first, others) = (LeaseGate(), LeaseGate())
    var tasks = [fixture.candidate("0", until: first)]
    await fixture.waiting(1)
    for index in 1...count {
      tasks.append(fixture.candidate("\(index)", until: others))
      await fixture.waiting(index + 1)
    }
    store.forget()
    first.open()
    _ = try await tasks[0].value
    await journal.contains("1 leads")
    // The new leader follows its own entry now.
    await fixture.waiting(count)
    #expect(store.count { $0 == .load(.prefix("leadership/feed/")) } == 1)
    #expect(store.count { if case .write = $0 { true } else { false } } == 0)
    #expect(
      store.requests.count == 4,
      "revoke, load the candidates, load and follow the own entry: \(store.requests)"
    )
    others.open()
    for task in tasks { _ = try? await task.value }
    try await fixture.expectNothingLeft()
  }

  @Test
  func `a waiting candidate sends only renewals`() async throws {
    let (first, second) = (LeaseGate(), LeaseGate())
    let leader = fixture.candidate("0", until: first)
    await fixture.waiting(1)
    let waiter = fixture.candidate("1", until: second)
    await fixture.waiting(2)
    store.forget()
    for second in 1...20 {
      await clock.slept(4)
      fixture.advance(by: .seconds(1))
      // The renewals start after 4, 8, 12 seconds and so on.
      await waitUntil { store.requests.count == 2 * (second / 4) }
    }
    #expect(store.requests == Array(repeating: .renew, count: 10))
    second.open()
    first.open()
    _ = try await (leader.value, waiter.value)
    try await fixture.expectNothingLeft()
  }

  @Test
  func `an error of the body goes to the caller, and the entry is removed`() async throws {
    struct Wrong: Error {}
    await #expect(throws: Wrong.self) {
      try await store.withLeadership(of: "feed", ttl: .seconds(10), clock: clock) { _ in throw Wrong() }
    }
    try await fixture.expectNothingLeft()
  }

  @Test
  func `names do not compete with each other`() async throws {
    let value = try await store.withLeadership(of: "a", ttl: .seconds(10), clock: clock) { _ in
      try await store.withLeadership(of: "b", ttl: .seconds(10), clock: clock) { _ in 7 }
    }
    #expect(value == 7)
    try await fixture.expectNothingLeft()
  }
}

// MARK: - Refusals

extension LeadershipTests {
  @Test(arguments: ["", "a/b", "a/\u{301}b", "..", "a\0"])
  func `a name that cannot be a part of a key is refused`(name: String) async throws {
    await #expect(throws: StoreError.self) {
      try await store.withLeadership(of: name, clock: clock) { _ in }
    }
    #expect(store.requests == [])
  }

  @Test
  func `a ttl below the shortest is refused, with the remedy`() async throws {
    let error = await #expect(throws: StoreError.self) {
      try await store.withLeadership(of: "feed", ttl: .milliseconds(1), clock: clock) { _ in }
    }
    #expect(
      error?.description
        == "the ttl of the leadership 'feed', 0.001 seconds, is too short for the store in memory: choose at least 0.01 seconds"
    )
    #expect(store.requests == [])
  }

  @Test
  func `a refusal by the store goes to the caller, and the lease is revoked`() async throws {
    store.before = { if case .write = $0 { throw StoreError.refused("read only") } }
    await #expect(throws: StoreError.refused("read only")) {
      try await store.withLeadership(of: "feed", ttl: .seconds(10), clock: clock) { _ in }
    }
    try await fixture.expectNothingLeft()
  }
}

// MARK: - Cancellation

extension LeadershipTests {
  @Test(arguments: ["grant", "write", "load", "wait"])
  func `a cancellation before the turn leaves nothing`(stage: String) async throws {
    let first = LeaseGate()
    let leader = fixture.candidate("0", until: first)
    await fixture.waiting(1)
    let reached = LeaseGate()
    store.before = { request in
      switch (request, stage) {
      case (.grant, "grant"), (.write, "write"), (.load(.prefix), "load"), (.subscribe, "wait"):
        reached.open()
        try await LeaseGate().passed()
      default: break
      }
    }
    let waiter = fixture.candidate("1", until: LeaseGate())
    try await reached.passed()
    waiter.cancel()
    await #expect(throws: CancellationError.self) { try await waiter.value }
    #expect(base.leaseCount == 1)
    store.before = nil
    first.open()
    #expect(try await leader.value == "0 true")
    try await fixture.expectNothingLeft()
  }

  @Test
  func `a cancelled leader leads until its body has ended`() async throws {
    let (started, gate, next) = (LeaseGate(), LeaseGate(), LeaseGate())
    let leader = Task {
      try await store.withLeadership(of: "feed", ttl: .seconds(10), clock: clock) { _ in
        started.open()
        await gate.passedIgnoringCancellation()
        journal.append("0 ends")
        return Task.isCancelled
      }
    }
    try await started.passed()
    let waiter = fixture.candidate("1", until: next)
    await fixture.waiting(2)
    leader.cancel()
    // The renewals of both, and the watch of the expiry of the one that waits.
    await clock.slept(3)
    for _ in 0..<4 {
      let renewals = store.renewals
      fixture.advance(by: .milliseconds(3500))
      await waitUntil { store.renewals == renewals + 2 && fixture.storeClock.sleepers == 2 }
    }
    #expect(journal.events == [])
    gate.open()
    #expect(try await leader.value)
    await journal.contains("1 leads")
    #expect(journal.events == ["0 ends", "1 leads"])
    next.open()
    _ = try await waiter.value
    try await fixture.expectNothingLeft()
  }

  @Test
  func `a lost acknowledgement makes no second candidate`() async throws {
    let isLost = BindableActor(false)
    store.after = { request in
      if case .write = request, !isLost.value {
        isLost.send(true)
        throw StoreError.uncertain("no answer")
      }
    }
    let task = Task {
      try await store.withLeadership(of: "feed", ttl: .seconds(10), clock: clock) { _ in
        try await base.load(.prefix("leadership/feed/")).entries.count
      }
    }
    await waitUntil { isLost.value }
    await clock.slept(3)
    clock.advance(by: .milliseconds(100))
    #expect(try await task.value == 1)
    try await fixture.expectNothingLeft()
  }
}
