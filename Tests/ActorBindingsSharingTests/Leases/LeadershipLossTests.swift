import ActorBindings
import ActorBindingsSharing
import Testing

/// What happens when a leader loses its lease.
@Suite
struct LeadershipLossTests {
  private let fixture = LeadershipFixture()
  private var base: InMemoryStore { fixture.base }
  private var store: WatchedStore { fixture.store }
  private var clock: PausableClock { fixture.clock }
  private var journal: Journal<String> { fixture.journal }

  @Test
  func `when no renewal succeeds, the body is cancelled before the store ends the lease`() async throws {
    let revocation = LeaseGate()
    store.before = {
      if $0 == .renew { throw StoreError.unavailable("no route") }
      if $0 == .revoke { try await revocation.passed() }
    }
    let leader = fixture.candidate("0", until: LeaseGate())
    await journal.contains("0 leads")
    await clock.slept(2)
    clock.advance(by: .milliseconds(7999))
    await clock.slept(2)
    #expect(journal.events == ["0 leads"])
    clock.advance(by: .milliseconds(1))
    await journal.contains("0 ends")
    // The clock of the store has not moved.
    #expect(base.leaseCount == 1)
    revocation.open()
    await #expect(throws: StoreError.leaseEnded) { try await leader.value }
    try await fixture.expectNothingLeft()
  }

  @Test
  func `a renewal that is lost costs no lease`() async throws {
    let (isSilent, lost) = (BindableActor(false), BindableActor(0))
    store.before = { request in
      guard request == .renew, isSilent.value else { return }
      lost.modify { $0 += 1 }
      try await LeaseGate().passed()
    }
    let gate = LeaseGate()
    let leader = fixture.candidate("0", until: gate)
    await journal.contains("0 leads")
    for round in 1...10 {
      isSilent.send(true)
      await clock.sleepsFor(.seconds(10) / 3)
      clock.advance(by: .milliseconds(3400))
      await waitUntil { lost.value == round && clock.sleepers == 2 }
      // The request is abandoned after 2 seconds, and repeated 0.7 seconds later.
      isSilent.send(false)
      clock.advance(by: .seconds(2))
      await clock.slept(2)
      clock.advance(by: .milliseconds(700))
      await waitUntil { store.renewals == round }
    }
    gate.open()
    #expect(try await leader.value == "0 true")
    try await fixture.expectNothingLeft()
  }

  @Test
  func `a renewal that does not end, even when it is cancelled, does not delay the loss`() async throws {
    let stuck = LeaseGate()
    store.before = { if $0 == .renew { await stuck.passedIgnoringCancellation() } }
    let leader = fixture.candidate("0", until: LeaseGate())
    await journal.contains("0 leads")
    await clock.slept(2)
    clock.advance(by: .milliseconds(3400))
    // The time limit of the request, and the expiry.
    await waitUntil { store.requests.last == .renew && clock.sleepers == 2 }
    clock.advance(by: .milliseconds(4599))
    #expect(clock.sleepers == 1)
    #expect(journal.events == ["0 leads"])
    clock.advance(by: .milliseconds(1))
    await journal.contains("0 ends")
    stuck.open()
    await #expect(throws: StoreError.leaseEnded) { try await leader.value }
    try await fixture.expectNothingLeft()
  }

  @Test
  func `a leader that is paused past its ttl is cancelled as soon as it runs again`() async throws {
    let paused = PausableClock()
    let leaderships = Journal<UInt64>()
    let held = BindableActor<Leadership?>(nil)
    // A process that is paused receives nothing.
    let unheard = WatchedStore(base)
    unheard.before = { if case .subscribe = $0 { try await LeaseGate().passed() } }
    let first = Task {
      try await unheard.withLeadership(of: "feed", ttl: .seconds(10), clock: paused) { leadership in
        held.send(leadership)
        leaderships.append(leadership.fencingNumber)
        journal.append("0 leads")
        defer { journal.append("0 ends") }
        try await LeaseGate().passed()
      }
    }
    await journal.contains("0 leads")
    let gate = LeaseGate()
    let second = Task {
      try await store.withLeadership(of: "feed", ttl: .seconds(10), clock: clock) { leadership in
        leaderships.append(leadership.fencingNumber)
        journal.append("1 leads")
        defer { journal.append("1 ends") }
        try await gate.passed()
      }
    }
    await fixture.waiting(1)
    paused.pause()
    await fixture.pass(steps: 4, candidates: 1, also: paused)
    await journal.contains("1 leads")
    #expect(held.value?.isHeld == false)
    #expect(leaderships.events[0] < leaderships.events[1])
    paused.unpause()
    await journal.contains("0 ends")
    await #expect(throws: StoreError.leaseEnded) { try await first.value }
    #expect(!journal.events.contains("1 ends"))
    gate.open()
    try await second.value
    try await fixture.expectNothingLeft()
  }

  @Test
  func `the call does not return before a body that ignores its cancellation`() async throws {
    let (gate, returned) = (LeaseGate(), BindableActor(false))
    let leader = Task {
      defer { returned.send(true) }
      return try await store.withLeadership(of: "feed", ttl: .seconds(10), clock: clock) { _ in
        journal.append("0 leads")
        await withTaskCancellationHandler {
          await gate.passedIgnoringCancellation()
        } onCancel: {
          journal.append("0 cancelled")
        }
        return 1
      }
    }
    await journal.contains("0 leads")
    store.before = { if $0 == .renew { throw StoreError.leaseEnded } }
    await clock.slept(2)
    clock.advance(by: .seconds(4))
    await journal.contains("0 cancelled")
    #expect(!returned.value)
    gate.open()
    await #expect(throws: StoreError.leaseEnded) { try await leader.value }
    try await fixture.expectNothingLeft()
  }

  @Test
  func `an error of the body goes to the caller even after the loss`() async throws {
    struct Wrong: Error {}
    let leader = Task {
      try await store.withLeadership(of: "feed", ttl: .seconds(10), clock: clock) { _ in
        journal.append("0 leads")
        do { try await LeaseGate().passed() } catch { throw Wrong() }
      }
    }
    await journal.contains("0 leads")
    store.before = { if $0 == .renew { throw StoreError.leaseEnded } }
    await clock.slept(2)
    clock.advance(by: .seconds(4))
    await #expect(throws: Wrong.self) { try await leader.value }
    try await fixture.expectNothingLeft()
  }

  @Test
  func `a refused renewal ends the leadership with the refusal`() async throws {
    let leader = fixture.candidate("0", until: LeaseGate())
    await journal.contains("0 leads")
    store.before = { if $0 == .renew { throw StoreError.refused("no credentials") } }
    await clock.slept(2)
    clock.advance(by: .seconds(4))
    await #expect(throws: StoreError.refused("no credentials")) { try await leader.value }
    try await fixture.expectNothingLeft()
  }

  @Test
  func `removing the entry of the leader ends its leadership at once`() async throws {
    let leader = fixture.candidate("0", until: LeaseGate())
    await journal.contains("0 leads")
    await fixture.waiting(1)
    let key = try #require(try await store.load(.prefix("leadership/")).entries.first?.key)
    _ = try await store.write(StoreWrite(key: key, bytes: nil, expected: .anything))
    await #expect(throws: StoreError.leaseEnded) { try await leader.value }
    #expect(clock.now.offset == .zero)
    try await fixture.expectNothingLeft()
  }

  @Test
  func `a candidate whose lease has ended while it waited takes a place again`() async throws {
    let (first, second) = (LeaseGate(), LeaseGate())
    let leader = fixture.candidate("0", until: first)
    await fixture.waiting(1)
    let paused = PausableClock()
    let waiter = fixture.candidate("1", clock: paused, until: second)
    await fixture.waiting(2)
    paused.pause()
    await fixture.pass(steps: 4, candidates: 1, also: paused)
    await waitUntil { base.leaseCount == 1 }
    paused.unpause()
    await paused.advance(until: { base.leaseCount == 2 })
    first.open()
    _ = try await leader.value
    await journal.contains("1 leads")
    second.open()
    #expect(try await waiter.value == "1 true")
    #expect(paused.sleepers == 0)
    try await fixture.expectNothingLeft()
  }
}
