/// What a throttled source hands out, and when. A pure state machine: it is told the time.
///
/// ### States
/// - *open*: no value waits, and no interval runs.
/// - *closed*: no value waits, and the interval after the last value runs.
/// - *waiting*: a value waits for the end of the interval; if the oldest is wanted, a newer one may wait behind it.
///
/// Without an event *closed* becomes *open* at the end of the interval.
///
/// ### Transitions
/// | event | open | closed | waiting |
/// |---|---|---|---|
/// | `valueCame` | closed, handed out | waiting | waiting; see below at or after the end of the interval |
/// | `timePassed` | nothing | nothing | closed, handed out; nothing before the end of the interval |
/// | `sourceEnded` | nothing | nothing | the newest is handed out |
///
/// A value that comes while another one waits takes its place; if the oldest is wanted it waits behind it, in the place of
/// any other. At or after the end of the interval, while the timer is late, it takes its place and is handed out at once;
/// if the oldest is wanted it waits behind it there too.
///
/// ### Actions
/// An event returns the value that must be handed out. While there is a `deadline`, `timePassed` must be called then.
///
/// ### Behavior
/// Two values are at least an interval apart, except that the end of the source does not wait: of two that wait then, the
/// newest is handed out and the older one is dropped. An interval includes the instant at which it begins and not the one
/// at which it ends: a value that comes exactly then is handed out at once, if no other waits.
package struct ThrottleState<Value: Sendable, Instant: InstantProtocol> {
  private let interval: Instant.Duration
  private let wantsOldest: Bool

  // The end of the newest interval.
  private var opening: Instant?
  private var first: Value?
  // Behind the first one, if the oldest is wanted.
  private var last: Value?

  package init(interval: Instant.Duration, wantsOldest: Bool) {
    self.interval = interval.bounded
    self.wantsOldest = wantsOldest
  }

  /// When a value that waits is to be handed out.
  package var deadline: Instant? { first == nil ? nil : opening }

  package mutating func valueCame(_ value: Value, at now: Instant) -> Value? {
    if wantsOldest, first != nil {
      last = value
      return nil
    }
    first = value
    guard let opening, now < opening else { return handedOut(at: now) }
    return nil
  }

  package mutating func timePassed(at now: Instant) -> Value? {
    guard let deadline, now >= deadline else { return nil }
    return handedOut(at: now)
  }

  // What waited behind it is older than all that comes from here on.
  private mutating func handedOut(at now: Instant) -> Value? {
    opening = now.advanced(by: interval)
    defer { first = last.take() }
    return first.take()
  }

  package mutating func sourceEnded() -> Value? {
    defer { (first, last) = (nil, nil) }
    return last ?? first
  }
}
