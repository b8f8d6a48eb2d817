import ActorBindings
import ActorBindingsSharing
import Testing

/// Candidates for one leadership, with a ttl of 10 seconds: a renewal after 3.3 seconds, the loss after 8, the end of the
/// lease after 10.
struct LeadershipFixture: Sendable {
  let clock = PausableClock()
  let storeClock = PausableClock()
  let base: InMemoryStore
  let store: WatchedStore
  let journal = Journal<String>()

  init() {
    base = InMemoryStore(clock: storeClock)
    store = WatchedStore(base)
  }

  /// Runs a candidate that notes in the journal when it leads, and leads until `gate` is open.
  func candidate(_ name: String, clock: PausableClock? = nil, until gate: LeaseGate) -> Task<
    String, any Error
  > {
    Task {
      try await store.withLeadership(of: "feed", ttl: .seconds(10), clock: clock ?? self.clock) {
        leadership in
        journal.append("\(name) leads")
        defer { journal.append("\(name) ends") }
        try await gate.passed()
        return "\(name) \(leadership.isHeld)"
      }
    }
  }

  /// Returns when `count` candidates follow an entry: the leader its own, each other one that of the candidate before.
  func waiting(_ count: Int) async {
    await waitUntil { base.subscriptionCount == count }
  }

  func advance(by duration: Duration) {
    clock.advance(by: duration)
    storeClock.advance(by: duration)
  }

  /// Lets time pass in steps of 3.5 seconds. In each step, each of `candidates` renews its lease once.
  func pass(steps: Int, candidates: Int, also other: PausableClock? = nil) async {
    await clock.slept(2 * candidates)
    for _ in 0..<steps {
      let renewals = store.renewals
      other?.advance(by: .milliseconds(3500))
      advance(by: .milliseconds(3500))
      await waitUntil { store.renewals == renewals + candidates && storeClock.sleepers == base.leaseCount }
    }
  }

  /// Nothing is left in the store, and no task waits.
  func expectNothingLeft() async throws {
    #expect(try await base.load(.prefix("leadership/")).entries == [])
    #expect(base.leaseCount == 0)
    await waitUntil { base.subscriptionCount == 0 && clock.sleepers == 0 && storeClock.sleepers == 0 }
  }
}
