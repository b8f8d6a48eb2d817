import ActorBindingsSharing
import Testing

/// Each event in each state, without a store.
@Suite struct FollowStateTests {
  private typealias Decision = FollowState.Decision

  private let begins = Decision(beginsAttempt: true)
  private let applies = Decision(applies: true)
  private let cancels = Decision(cancelsAttempt: true)
  private let nothing = Decision()
  private let trouble = StoreError.unavailable("no route")

  private func machine(_ phase: FollowState.Phase, idle: Duration? = .seconds(3)) -> FollowState {
    var state = FollowState(FollowState.Timing(idle: idle), now: .zero)
    if phase == .waiting { return state }
    _ = state.timeCame(now: .zero, jitter: 0)
    if phase == .loading { return state }
    _ = state.loaded(1, now: .zero)
    if phase == .opening { return state }
    _ = state.opened(1, now: .zero)
    if phase == .ended { _ = state.stopped() }
    return state
  }

  @Test(arguments: [FollowState.Phase.loading, .opening, .following, .waiting, .ended])
  func `an event that a state does not expect does nothing`(_ phase: FollowState.Phase) {
    let state = machine(phase)
    #expect(state.phase == phase)
    let events: [(FollowState.Phase, (inout FollowState) -> Decision)] = [
      (.loading, { $0.loaded(1, now: .seconds(1)) }),
      (.opening, { $0.opened(1, now: .seconds(1)) }),
      (.following, { $0.changesCame(1, isEmpty: false, now: .seconds(1)) }),
    ]
    for (expecting, event) in events where expecting != phase {
      var copy = state
      #expect(event(&copy) == nothing)
      #expect(copy.phase == phase)
      #expect(copy.link == state.link)
    }
  }

  @Test(arguments: [FollowState.Phase.loading, .opening, .following])
  func `an event of an earlier attempt does nothing`(_ phase: FollowState.Phase) {
    var state = machine(phase)
    _ = state.failed(1, trouble, now: .zero, jitter: 0)
    _ = state.timeCame(now: .seconds(9), jitter: 0)
    #expect(state.phase == .loading)
    #expect(state.attempt == 2)
    #expect(state.loaded(1, now: .seconds(9)) == nothing)
    #expect(state.failed(1, trouble, now: .seconds(9), jitter: 0) == nothing)
    #expect(state.phase == .loading)
  }

  @Test func `it loads, applies, opens, and is live only after the confirmation`() {
    var state = machine(.waiting)
    #expect(state.timeCame(now: .zero, jitter: 0) == begins)
    #expect(state.link == .connecting)
    #expect(state.loaded(1, now: .zero) == applies)
    #expect(state.link == .connecting)
    #expect(state.opened(1, now: .zero) == nothing)
    #expect(state.link == .live)
    #expect(state.changesCame(1, isEmpty: false, now: .zero) == applies)
    #expect(state.changesCame(1, isEmpty: true, now: .zero) == nothing)
  }

  @Test(arguments: [FollowState.Phase.loading, .opening, .following])
  func `after trouble it waits, and then loads again`(_ phase: FollowState.Phase) {
    var state = machine(phase)
    #expect(state.failed(1, trouble, now: .seconds(1), jitter: 0) == cancels)
    #expect(state.phase == .waiting)
    #expect(state.link == .stale(since: .zero, reason: "no route"))
    #expect(state.wakeAt == .milliseconds(1100))
    #expect(state.timeCame(now: .milliseconds(1099), jitter: 0) == nothing)
    #expect(state.timeCame(now: .milliseconds(1100), jitter: 0) == begins)
  }

  @Test(arguments: [FollowState.Phase.loading, .opening, .following])
  func `a refusal ends the loop`(_ phase: FollowState.Phase) {
    var state = machine(phase)
    #expect(state.failed(1, .refused("bad key"), now: .zero, jitter: 0) == cancels)
    #expect(state.phase == .ended)
    #expect(state.link == .ended(.refused("bad key")))
    #expect(state.wakeAt == nil)
  }

  @Test(arguments: [StoreError.historyLost, .leaseEnded, .uncertain("?"), .unavailable("?")])
  func `no other error ends the loop`(_ error: StoreError) {
    var state = machine(.following)
    _ = state.failed(1, error, now: .zero, jitter: 0)
    #expect(state.phase == .waiting)
  }

  @Test func `delays double up to 5 seconds`() {
    var state = machine(.waiting)
    var now = Duration.zero
    var delays: [Duration] = []
    for attempt in 1...8 {
      _ = state.timeCame(now: now, jitter: 0)
      _ = state.loaded(attempt, now: now)
      _ = state.opened(attempt, now: now)
      _ = state.failed(attempt, trouble, now: now, jitter: 0)
      delays.append((state.wakeAt ?? now) - now)
      now = state.wakeAt ?? now
    }
    #expect(delays == [100, 200, 400, 800, 1600, 3200, 5000, 5000].map { .milliseconds($0) })
  }

  @Test func `the jitter shortens a delay by half at most`() {
    var state = machine(.following)
    _ = state.failed(1, trouble, now: .zero, jitter: 1)
    #expect(state.wakeAt == .milliseconds(50))
  }

  @Test func `the first change resets the delay, and neither a confirmation nor an empty array does`() {
    for (isEmpty, delay) in [(true, 200), (false, 100)] {
      var state = machine(.following)
      _ = state.failed(1, trouble, now: .zero, jitter: 0)
      _ = state.timeCame(now: .seconds(1), jitter: 0)
      _ = state.loaded(2, now: .seconds(1))
      _ = state.opened(2, now: .seconds(1))
      _ = state.changesCame(2, isEmpty: isEmpty, now: .seconds(1))
      _ = state.failed(2, trouble, now: .seconds(1), jitter: 0)
      #expect(state.wakeAt == .milliseconds(1000 + delay))
    }
  }

  @Test(arguments: [(Duration.milliseconds(4_999), 200), (.seconds(5), 100)])
  func `a link that was live for as long as the longest delay resets the delay`(
    _ life: Duration,
    _ delay: Int
  ) {
    var state = machine(.following)
    _ = state.failed(1, trouble, now: .zero, jitter: 0)
    _ = state.timeCame(now: .seconds(1), jitter: 0)
    _ = state.loaded(2, now: .seconds(1))
    _ = state.opened(2, now: .seconds(1))
    let end = .seconds(1) + life
    // Quiet renewals do not interrupt the life of the link.
    for attempt in 3...4 {
      let now = Duration.seconds(2 * attempt - 3)
      _ = state.timeCame(now: now, jitter: 0)
      _ = state.loaded(attempt, now: now)
      _ = state.opened(attempt, now: now)
    }
    #expect(state.attempt == 4)
    _ = state.changesCame(4, isEmpty: true, now: end)
    _ = state.failed(4, trouble, now: end, jitter: 0)
    #expect(state.wakeAt == end + .milliseconds(delay))
  }

  @Test(arguments: [FollowState.Phase.loading, .opening])
  func `an answer that does not come counts as trouble`(_ phase: FollowState.Phase) {
    var state = machine(phase)
    #expect(state.wakeAt == .seconds(10))
    #expect(state.timeCame(now: .seconds(10), jitter: 0) == cancels)
    #expect(state.phase == .waiting)
    let request = phase == .loading ? "the load" : "the subscription"
    #expect(state.link == .stale(since: .zero, reason: "the store did not answer \(request) in 10.0 seconds"))
  }

  @Test func `a silent subscription is replaced while the link stays live`() {
    var state = machine(.following)
    _ = state.changesCame(1, isEmpty: true, now: .seconds(1))
    #expect(state.wakeAt == .seconds(3))
    let renews = Decision(cancelsAttempt: true, beginsAttempt: true)
    #expect(state.timeCame(now: .seconds(3), jitter: 0) == renews)
    #expect(state.loaded(2, now: .seconds(3)) == applies)
    #expect(state.link == .live)
    _ = state.opened(2, now: .seconds(3))
    #expect(state.link == .live)
    #expect(state.wakeAt == .seconds(5))
  }

  @Test func `a renewal that is not answered makes the link stale at the idle limit, and goes on`() {
    var state = machine(.following)
    _ = state.timeCame(now: .seconds(2), jitter: 0)
    #expect(state.wakeAt == .seconds(3))
    #expect(state.timeCame(now: .seconds(3), jitter: 0) == nothing)
    #expect(state.link == .stale(since: .zero, reason: "the store has been silent for 3.0 seconds"))
    #expect(state.phase == .loading)
    #expect(state.wakeAt == .seconds(12))
    _ = state.loaded(2, now: .seconds(4))
    _ = state.opened(2, now: .seconds(4))
    #expect(state.link == .live)
  }

  @Test func `without an idle limit a subscription may be silent for ever`() {
    var state = machine(.following, idle: nil)
    #expect(state.wakeAt == nil)
    #expect(state.timeCame(now: .seconds(1_000_000), jitter: 0) == nothing)
    #expect(state.link == .live)
  }

  @Test func `stale tells the first instant of the trouble, and the last reason`() {
    var state = machine(.following)
    _ = state.changesCame(1, isEmpty: false, now: .seconds(1))
    _ = state.failed(1, trouble, now: .seconds(2), jitter: 0)
    _ = state.timeCame(now: .seconds(3), jitter: 0)
    _ = state.failed(2, .unavailable("refused connection"), now: .seconds(4), jitter: 0)
    #expect(state.link == .stale(since: .seconds(1), reason: "refused connection"))
  }

  @Test(arguments: [FollowState.Phase.loading, .opening, .following, .waiting])
  func `a stopped loop does nothing any more`(_ phase: FollowState.Phase) {
    var state = machine(phase)
    #expect(state.stopped() == cancels)
    #expect(state.wakeAt == nil)
    #expect(state.timeCame(now: .seconds(99), jitter: 0) == nothing)
    #expect(state.failed(state.attempt, trouble, now: .zero, jitter: 0) == nothing)
  }
}
