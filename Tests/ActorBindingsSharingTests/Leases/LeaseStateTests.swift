import ActorBindingsSharing
import Testing

/// A lease of 15 seconds, which is renewed after 5, counted as lost after 12, and tried again after 1; a request may
/// take 3. Each test is named by an event and a state.
@Suite
struct LeaseStateTests {
  private var state = LeaseState(ttl: .seconds(15))

  private mutating func startRenewal(at now: Duration = .seconds(5)) {
    #expect(state.renewerWoke(at: now) == .renew(until: now + .seconds(3)))
  }

  // MARK: - Held

  @Test
  mutating func `renewerWoke while held, before the renewal is due`() {
    #expect(state.renewerWoke(at: .zero) == .wait(until: .seconds(5)))
    #expect(state.renewerWoke(at: .milliseconds(4999)) == .wait(until: .seconds(5)))
  }

  @Test
  mutating func `renewerWoke while held, when the renewal is due`() {
    #expect(state.renewerWoke(at: .seconds(5)) == .renew(until: .seconds(8)))
  }

  @Test
  mutating func `renewerWoke while held, shortly before the expiry`() {
    #expect(state.renewerWoke(at: .seconds(11)) == .renew(until: .seconds(12)))
  }

  @Test
  mutating func `renewerWoke while held, at the expiry`() {
    #expect(state.renewerWoke(at: .seconds(12)) == .stop)
    #expect(state.holderLooked(at: .zero) == .lost(.leaseEnded))
  }

  @Test
  mutating func `renewed and renewalFailed while held are ignored`() {
    state.renewed(at: .seconds(1))
    state.renewalFailed(StoreError.leaseEnded, at: .seconds(1))
    #expect(state.holderLooked(at: .seconds(1)) == .lasts(until: .seconds(12)))
    #expect(state.renewerWoke(at: .seconds(1)) == .wait(until: .seconds(5)))
  }

  @Test
  mutating func `holderLooked while held`() {
    #expect(state.holderLooked(at: .milliseconds(11_999)) == .lasts(until: .seconds(12)))
    #expect(state.holderLooked(at: .seconds(12)) == .lost(.leaseEnded))
  }

  @Test
  mutating func `entryRemoved while held`() {
    state.entryRemoved()
    #expect(state.holderLooked(at: .zero) == .lost(.leaseEnded))
    #expect(state.renewerWoke(at: .zero) == .stop)
  }

  @Test
  mutating func `renewerFailed while held`() {
    state.renewerFailed()
    #expect(state.holderLooked(at: .zero) == .lost(.leaseEnded))
  }

  @Test
  mutating func `holderLeft while held`() {
    state.holderLeft()
    #expect(state.holderLooked(at: .seconds(100)) == .released)
    #expect(state.renewerWoke(at: .zero) == .stop)
  }

  // MARK: - Renewing

  @Test
  mutating func `renewed counts from the start of the request`() {
    startRenewal()
    state.renewed(at: .seconds(7))
    #expect(state.holderLooked(at: .seconds(7)) == .lasts(until: .seconds(17)))
    #expect(state.renewerWoke(at: .seconds(7)) == .wait(until: .seconds(10)))
  }

  @Test
  mutating func `renewed after the old expiry, while no holder looked`() {
    startRenewal()
    state.renewed(at: .seconds(13))
    #expect(state.holderLooked(at: .seconds(13)) == .lasts(until: .seconds(17)))
  }

  @Test
  mutating func `renewed after the new expiry`() {
    startRenewal()
    state.renewed(at: .seconds(17))
    #expect(state.holderLooked(at: .seconds(17)) == .lost(.leaseEnded))
    #expect(state.renewerWoke(at: .seconds(17)) == .stop)
  }

  @Test(arguments: [
    StoreError.unavailable("no route"), .uncertain("no answer"), .historyLost,
  ])
  mutating func `renewalFailed for a reason that may pass`(error: StoreError) {
    startRenewal()
    state.renewalFailed(error, at: .seconds(6))
    #expect(state.holderLooked(at: .seconds(6)) == .lasts(until: .seconds(12)))
    #expect(state.renewerWoke(at: .seconds(6)) == .wait(until: .seconds(7)))
    #expect(state.renewerWoke(at: .seconds(7)) == .renew(until: .seconds(10)))
  }

  @Test
  mutating func `renewalFailed with an error of another type`() {
    startRenewal()
    state.renewalFailed(CancellationError(), at: .seconds(8))
    #expect(state.renewerWoke(at: .seconds(8)) == .wait(until: .seconds(9)))
  }

  @Test
  mutating func `renewalFailed just before the expiry waits for the expiry`() {
    startRenewal(at: .seconds(8))
    state.renewalFailed(StoreError.unavailable("no route"), at: .milliseconds(11_500))
    #expect(state.renewerWoke(at: .milliseconds(11_500)) == .wait(until: .seconds(12)))
  }

  @Test(arguments: [StoreError.leaseEnded, .refused("wrong credentials")])
  mutating func `renewalFailed for a reason that does not pass`(error: StoreError) {
    startRenewal()
    state.renewalFailed(error, at: .seconds(6))
    #expect(state.holderLooked(at: .seconds(6)) == .lost(error))
    #expect(state.renewerWoke(at: .seconds(6)) == .stop)
  }

  @Test
  mutating func `holderLooked while renewing`() {
    startRenewal()
    #expect(state.holderLooked(at: .seconds(11)) == .lasts(until: .seconds(12)))
    #expect(state.holderLooked(at: .seconds(12)) == .lost(.leaseEnded))
    state.renewed(at: .seconds(12))
    #expect(state.holderLooked(at: .seconds(12)) == .lost(.leaseEnded))
  }

  @Test
  mutating func `entryRemoved while renewing`() {
    startRenewal()
    state.entryRemoved()
    state.renewed(at: .seconds(6))
    #expect(state.holderLooked(at: .seconds(6)) == .lost(.leaseEnded))
  }

  @Test
  mutating func `holderLeft while renewing`() {
    startRenewal()
    state.holderLeft()
    state.renewed(at: .seconds(6))
    #expect(state.holderLooked(at: .seconds(6)) == .released)
    #expect(state.renewerWoke(at: .seconds(6)) == .stop)
  }

  @Test
  func `renewerWoke while renewing ends the process`() async {
    await #expect(processExitsWith: .failure) {
      var state = LeaseState(ttl: .seconds(15))
      _ = state.renewerWoke(at: .seconds(5))
      _ = state.renewerWoke(at: .seconds(6))
    }
  }

  // MARK: - Lost and released

  @Test
  mutating func `nothing leaves lost`() {
    state.entryRemoved()
    state.renewed(at: .zero)
    state.renewalFailed(StoreError.refused("no"), at: .zero)
    state.renewerFailed()
    state.holderLeft()
    #expect(state.renewerWoke(at: .zero) == .stop)
    #expect(state.holderLooked(at: .zero) == .lost(.leaseEnded))
  }

  @Test
  mutating func `nothing leaves released`() {
    state.holderLeft()
    state.renewed(at: .zero)
    state.renewalFailed(StoreError.leaseEnded, at: .zero)
    state.entryRemoved()
    state.renewerFailed()
    #expect(state.renewerWoke(at: .seconds(20)) == .stop)
    #expect(state.holderLooked(at: .seconds(20)) == .released)
  }

  // MARK: - All of it

  @Test
  mutating func `a lease that is renewed each time lasts`() {
    var now = Duration.zero
    for _ in 0..<100 {
      guard case .wait(let due) = state.renewerWoke(at: now) else { break }
      startRenewal(at: due)
      now = due + .milliseconds(20)
      state.renewed(at: now)
    }
    #expect(now == .seconds(500) + .milliseconds(20))
    #expect(state.holderLooked(at: now) == .lasts(until: .seconds(512)))
  }

  @Test
  mutating func `in a random history, the holder never believes longer than four fifths of the ttl`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      var state = LeaseState(ttl: .seconds(15))
      var (now, lastStart, start) = (Duration.zero, Duration.zero, Duration?.none)
      for _ in 0..<40 {
        now += .milliseconds(Int.random(in: 0...4000, using: &random))
        if let began = start {
          if Bool.random(using: &random) {
            state.renewed(at: now)
            lastStart = began
          } else {
            state.renewalFailed(StoreError.unavailable("no route"), at: now)
          }
          start = nil
        } else if case .renew = state.renewerWoke(at: now) {
          start = now
        }
        if case .lasts(let end) = state.holderLooked(at: now) {
          #expect(end == lastStart + .seconds(12))
          #expect(now < end)
        }
      }
    }
  }

  @Test
  func `the longest ttl does not overflow a clock`() {
    var state = LeaseState(ttl: .seconds(Int64.max))
    guard case .lasts(let end) = state.holderLooked(at: .zero) else { return #expect(Bool(false)) }
    #expect(ContinuousClock.now.advanced(by: end) > ContinuousClock.now)
  }
}
