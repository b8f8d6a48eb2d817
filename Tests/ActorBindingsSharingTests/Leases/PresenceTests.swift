import ActorBindings
import ActorBindingsSharing
import Testing

/// Presence with a ttl of 10 seconds: a renewal after 3.3, the loss after 8, the end of the lease after 10.
@Suite
struct PresenceTests {
  private let fixture = LeadershipFixture()
  private var base: InMemoryStore { fixture.base }
  private var store: WatchedStore { fixture.store }
  private var clock: PausableClock { fixture.clock }

  private func entry(_ key: String = "sessions/ann") async throws -> [UInt8]? {
    try await base.load(.key(key)).entries.first?.bytes
  }

  private func present(_ bytes: [UInt8] = [1], until gate: LeaseGate) -> Task<Void, any Error> {
    Task {
      try await store.withEntry("sessions/ann", bytes: bytes, ttl: .seconds(10), clock: clock) {
        try await gate.passed()
      }
    }
  }

  private func expectNothingLeft() async throws {
    #expect(try await entry() == nil)
    try await fixture.expectNothingLeft()
  }

  @Test
  func `the entry is there when the body starts, and gone when it has ended`() async throws {
    let seen = try await store.withEntry("sessions/ann", bytes: [7], ttl: .seconds(10), clock: clock) {
      try await entry()
    }
    #expect(seen == [7])
    try await expectNothingLeft()
  }

  @Test
  func `the entry lives while the body runs`() async throws {
    let gate = LeaseGate()
    let task = present(until: gate)
    await clock.slept(1)
    for round in 1...10 {
      fixture.advance(by: .milliseconds(3500))
      await waitUntil { store.renewals == round && fixture.storeClock.sleepers == 1 }
    }
    #expect(try await entry() == [1])
    gate.open()
    try await task.value
    try await expectNothingLeft()
  }

  @Test
  func `an error of the body goes to the caller, and the entry is removed`() async throws {
    struct Wrong: Error {}
    await #expect(throws: Wrong.self) {
      try await store.withEntry("sessions/ann", bytes: [], ttl: .seconds(10), clock: clock) { throw Wrong() }
    }
    try await expectNothingLeft()
  }

  @Test
  func `if the caller is cancelled, the entry lives until the body has ended`() async throws {
    let (gate, started) = (LeaseGate(), LeaseGate())
    let task = Task {
      try await store.withEntry("sessions/ann", bytes: [1], ttl: .seconds(10), clock: clock) {
        started.open()
        await gate.passedIgnoringCancellation()
        #expect(Task.isCancelled)
      }
    }
    try await started.passed()
    task.cancel()
    await clock.slept(1)
    fixture.advance(by: .milliseconds(3500))
    await waitUntil { store.renewals == 1 }
    #expect(try await entry() == [1])
    gate.open()
    try await task.value
    try await expectNothingLeft()
  }

  @Test
  func `an entry whose lease has ended is written again`() async throws {
    let gate = LeaseGate()
    let task = present(until: gate)
    await clock.slept(1)
    // The process pauses for longer than the ttl.
    fixture.storeClock.advance(by: .seconds(11))
    await waitUntil { base.leaseCount == 0 }
    #expect(try await entry() == nil)
    clock.advance(by: .seconds(11))
    await waitUntil { store.count { $0 == .write("sessions/ann") } == 2 }
    await clock.slept(1)
    #expect(try await entry() == [1])
    gate.open()
    try await task.value
    try await expectNothingLeft()
  }

  @Test
  func `an entry is written again when the store can be reached again`() async throws {
    let gate = LeaseGate()
    let task = present(until: gate)
    await clock.slept(1)
    store.before = { if $0 != .revoke { throw StoreError.unavailable("no route") } }
    await clock.advance { clock.now.offset > .seconds(30) }
    fixture.storeClock.advance(by: .seconds(30))
    await waitUntil { base.leaseCount == 0 }
    store.before = nil
    await clock.advance { base.leaseCount == 1 }
    await waitUntil { store.count { $0 == .write("sessions/ann") } >= 2 }
    gate.open()
    try await task.value
    try await expectNothingLeft()
  }

  @Test
  func `a later owner of the key keeps its entry when an earlier one leaves`() async throws {
    let (first, second) = (LeaseGate(), LeaseGate())
    let earlier = present([1], until: first)
    await clock.slept(1)
    let later = present([2], until: second)
    await clock.slept(2)
    first.open()
    try await earlier.value
    #expect(try await entry() == [2])
    second.open()
    try await later.value
    try await expectNothingLeft()
  }

  @Test(arguments: [
    WatchedStore.Request.grant, .write("sessions/ann"),
  ])
  func `a cancellation before the body starts leaves nothing`(silent: WatchedStore.Request) async throws {
    let reached = LeaseGate()
    store.before = { request in
      guard request == silent else { return }
      reached.open()
      try await LeaseGate().passed()
    }
    let task = present(until: LeaseGate())
    try await reached.passed()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try await expectNothingLeft()
  }

  @Test
  func `a store that does not answer delays the end by a fifth of the ttl`() async throws {
    let gate = LeaseGate()
    let task = present(until: gate)
    await clock.slept(1)
    store.before = { if $0 == .revoke { try await LeaseGate().passed() } }
    gate.open()
    await waitUntil { store.requests.last == .revoke }
    await clock.slept(1)
    clock.advance(by: .seconds(2))
    try await task.value
    #expect(try await entry() == [1])
    // The lease ends by itself.
    await fixture.storeClock.slept(1)
    fixture.storeClock.advance(by: .seconds(10))
    await waitUntil { base.leaseCount == 0 }
    try await expectNothingLeft()
  }

  @Test
  func `a ttl below the shortest is refused, with the remedy`() async throws {
    let error = await #expect(throws: StoreError.self) {
      try await store.withEntry("sessions/ann", bytes: [], ttl: .milliseconds(1), clock: clock) {}
    }
    #expect(error?.description.hasSuffix("choose at least 0.01 seconds") == true)
    #expect(store.requests == [])
  }

  @Test
  func `a refusal by the store goes to the caller, and the lease is revoked`() async throws {
    store.before = { if case .write = $0 { throw StoreError.refused("read only") } }
    await #expect(throws: StoreError.refused("read only")) {
      try await store.withEntry("sessions/ann", bytes: [], ttl: .seconds(10), clock: clock) {}
    }
    try await expectNothingLeft()
  }

  @Test
  func `a dictionary holds its own presence while the body runs`() async throws {
    let sessions = SharedDictionary<String, Int>("sessions/", in: store)
    try await sessions.withPresence(5, for: "ann", ttl: .seconds(10), clock: clock) {
      #expect(sessions["ann"] == 5)
      let bytes = try await entry()
      #expect(bytes != nil)
    }
    try await expectNothingLeft()
  }

  @Test
  func `another dictionary sees a presence come and go`() async throws {
    let here = SharedDictionary<String, Int>("sessions/", in: store)
    let there = SharedDictionary<String, Int>("sessions/", in: base)
    there.start()
    try await here.withPresence(5, for: "ann", ttl: .seconds(10), clock: clock) {
      await waitUntil { there["ann"] == 5 }
    }
    await waitUntil { there.isEmpty }
  }
}
