/// The loop that follows a scope: load, then the changes after the loaded revision; after any trouble, load again. A
/// pure state machine: no lock, no task, no clock.
///
/// ### States
/// - *loading*: an attempt waits for the store to answer its load.
/// - *opening*: the attempt waits for the store to confirm its subscription.
/// - *following*: the attempt iterates its subscription.
/// - *waiting*: there is no attempt; the next one begins after a delay.
/// - *ended*: by a refusal, or because the last cell has left.
///
/// ### Transitions
/// | event | loading | opening | following | waiting | ended |
/// |---|---|---|---|---|---|
/// | `loaded` | opening, apply | – | – | – | – |
/// | `opened` | – | following, live | – | – | – |
/// | `changesCame` | – | – | following, apply | – | – |
/// | `failed` | waiting, stale | waiting, stale | waiting, stale | – | – |
/// | `failed` by a refusal | ended | ended | ended | – | – |
/// | `timeCame`, deadline | waiting, stale | waiting, stale | – | loading | – |
/// | `timeCame`, idle limit | stale | stale | – | – | – |
/// | `timeCame`, two thirds of it | – | – | loading | – | – |
/// | `stopped` | ended | ended | ended | ended | – |
///
/// An event of an attempt that is not the current one does nothing.
///
/// ### Actions
/// The shell does what a ``Decision`` says: first it cancels the current attempt, then it applies what came, then it
/// begins a new attempt. After each event it tells the cells if `link` has changed, and calls `timeCame` at `wakeAt`.
///
/// ### Behavior
/// - A load is authoritative: the machine knows no revision, so what was loaded always replaces what was held.
/// - The link is live from the confirmation of a subscription until trouble. A subscription that is silent for two
///   thirds of the idle limit is replaced while the link stays live. What is not confirmed at the idle limit is stale.
/// - Delays double from one trouble to the next. A change makes the next delay the first one again, and so does a link
///   that was known to be live for as long as the longest delay: a quiet key heals as fast as a busy one. A store that
///   confirms each subscription, and soon ends it, is not asked more and more often.
package struct FollowState: Sendable {
  /// Where the loop is.
  package enum Phase: Hashable, Sendable {
    case loading, opening, following, waiting, ended
  }

  /// What the cells may tell of the loop.
  package enum Link: Hashable, Sendable {
    /// Nothing was loaded yet, and there was no trouble.
    case connecting
    /// The store has confirmed the subscription.
    case live
    /// There was trouble; until `since` what the cells hold was known to be current.
    case stale(since: Duration, reason: String)
    /// The store has refused.
    case ended(StoreError)
  }

  /// What the shell does after an event.
  package struct Decision: Hashable, Sendable {
    /// Whether it cancels the current attempt.
    package var cancelsAttempt = false
    /// Whether it hands the snapshot, or the changes, to the cells.
    package var applies = false
    /// Whether it begins an attempt, with the number `attempt`.
    package var beginsAttempt = false

    /// Creates what the shell does.
    package init(cancelsAttempt: Bool = false, applies: Bool = false, beginsAttempt: Bool = false) {
      self.cancelsAttempt = cancelsAttempt
      self.applies = applies
      self.beginsAttempt = beginsAttempt
    }
  }

  /// The durations that a loop keeps.
  package struct Timing: Hashable, Sendable {
    /// The time in which a load, or the confirmation of a subscription, must come.
    package var answer = Duration.seconds(10)
    /// The time after which a silent subscription counts as lost; nil for never.
    package var idle: Duration?
    /// The delay after the first trouble.
    package var firstDelay = Duration.milliseconds(100)
    /// The longest delay.
    package var longestDelay = Duration.seconds(5)

    /// Creates the durations of a loop whose store has this idle limit.
    package init(idle: Duration?) {
      self.idle = idle
    }
  }

  private let timing: Timing
  package private(set) var phase = Phase.waiting
  /// The number of the current attempt.
  package private(set) var attempt = 0
  package private(set) var link = Link.connecting
  /// The number of troubles since the last change, or since the link was last live for long.
  package private(set) var troubles = 0
  // The instant of the confirmation since which the link is live; nil if it is not live.
  private var liveSince: Duration?
  // The last instant at which what the cells hold was known to be current.
  private var lastSign: Duration
  // The end of the current phase, unless it is *following*.
  private var deadline: Duration

  /// Creates a loop whose first attempt begins at once: the shell calls `timeCame`.
  package init(_ timing: Timing, now: Duration) {
    self.timing = timing
    lastSign = now
    deadline = now
  }

  /// The instant at which the shell calls `timeCame`; nil for never. A call that comes earlier does nothing.
  package var wakeAt: Duration? {
    switch phase {
    case .ended: nil
    case .waiting: deadline
    case .following: timing.idle.map { lastSign + $0 * 2 / 3 }
    case .loading, .opening: min(deadline, staleAt ?? deadline)
    }
  }

  // The instant at which a live link becomes stale during a renewal.
  private var staleAt: Duration? {
    guard link == .live, let idle = timing.idle else { return nil }
    return lastSign + idle
  }
}

// MARK: - Events of an attempt

extension FollowState {
  /// The store answered the load of an attempt.
  package mutating func loaded(_ attempt: Int, now: Duration) -> Decision {
    guard attempt == self.attempt, phase == .loading else { return Decision() }
    phase = .opening
    lastSign = now
    deadline = now + timing.answer
    return Decision(applies: true)
  }

  /// The store confirmed the subscription of an attempt.
  package mutating func opened(_ attempt: Int, now: Duration) -> Decision {
    guard attempt == self.attempt, phase == .opening else { return Decision() }
    phase = .following
    lastSign = now
    if link != .live { liveSince = now }
    link = .live
    return Decision()
  }

  /// The subscription of an attempt yielded changes, or an empty array.
  package mutating func changesCame(_ attempt: Int, isEmpty: Bool, now: Duration) -> Decision {
    guard attempt == self.attempt, phase == .following else { return Decision() }
    lastSign = now
    if !isEmpty { troubles = 0 }
    return Decision(applies: !isEmpty)
  }

  /// An attempt failed, or its subscription ended.
  ///
  /// - Parameter jitter: A random number from 0 to 1, by half of which the delay is shortened.
  package mutating func failed(
    _ attempt: Int,
    _ error: StoreError,
    now: Duration,
    jitter: Double
  ) -> Decision {
    guard attempt == self.attempt, phase != .waiting, phase != .ended else { return Decision() }
    if case .refused = error {
      phase = .ended
      link = .ended(error)
      return Decision(cancelsAttempt: true)
    }
    return troubleCame(error.description, now: now, jitter: jitter)
  }
}

// MARK: - Other events

extension FollowState {
  /// The clock has reached an instant, perhaps `wakeAt`.
  package mutating func timeCame(now: Duration, jitter: Double) -> Decision {
    guard let wakeAt, now >= wakeAt else { return Decision() }
    switch phase {
    case .ended: return Decision()
    case .waiting, .following:
      defer { phase = .loading }
      attempt += 1
      deadline = now + timing.answer
      return Decision(cancelsAttempt: phase == .following, beginsAttempt: true)
    case .loading, .opening:
      if now < deadline {
        link = .stale(since: lastSign, reason: "the store has been silent for \(now - lastSign)")
        return Decision()
      }
      let request = phase == .loading ? "the load" : "the subscription"
      return troubleCame("the store did not answer \(request) in \(timing.answer)", now: now, jitter: jitter)
    }
  }

  /// The last cell left.
  package mutating func stopped() -> Decision {
    phase = .ended
    return Decision(cancelsAttempt: true)
  }

  private mutating func troubleCame(_ reason: String, now: Duration, jitter: Double) -> Decision {
    if let liveSince = liveSince.take(), lastSign - liveSince >= timing.longestDelay { troubles = 0 }
    var since = lastSign
    if case .stale(let earlier, _) = link { since = earlier }
    link = .stale(since: since, reason: reason)
    var delay = timing.firstDelay
    for _ in 0..<troubles where delay < timing.longestDelay { delay *= 2 }
    troubles += 1
    phase = .waiting
    deadline = now + min(delay, timing.longestDelay) * (1 - jitter / 2)
    return Decision(cancelsAttempt: true)
  }
}
