/// Decides which values a throttled source hands out, and when. A pure state machine: its caller passes the time.
///
/// ### States
/// - *open*: no value waits, and no interval runs.
/// - *closed*: no value waits, and the interval after the last value runs.
/// - *waiting*: a value waits for the end of the interval. If the oldest value is wanted, a newer value may wait behind
///   the first value.
///
/// At the end of the interval, *closed* becomes *open* without an event.
///
/// ### Transitions
/// | event | open | closed | waiting |
/// |---|---|---|---|
/// | `valueCame` | closed, delivered | waiting | waiting; at or after the end of the interval: see below |
/// | `timePassed` | nothing | nothing | closed, delivered; nothing before the end of the interval |
/// | `sourceEnded` | nothing | nothing | the newest is delivered |
///
/// A value that comes while another value waits replaces the waiting value. If the oldest value is wanted, the waiting
/// value stays: the new value waits behind it, in place of any other value that waits there. At or after the end of the
/// interval, while the timer is late, the new value replaces the waiting value and is delivered at once. If the oldest
/// value is wanted, the new value waits behind the waiting value in this case too.
///
/// ### Actions
/// An event returns the value that must be delivered. If there is a `deadline`, the caller must call `timePassed` at
/// that instant.
///
/// ### Behavior
/// Two values are at least an interval apart. The exception is the end of the source: then the waiting value is
/// delivered at once. If two values wait when the source ends, the newer value is delivered and the older value is
/// dropped. An interval includes the instant at which it begins, but not the instant at which it ends. A value that
/// comes exactly at the end is delivered at once, if no other value waits.
package struct ThrottleState<Value: Sendable, Instant: InstantProtocol> {
  private let interval: Instant.Duration
  private let wantsOldest: Bool

  // The end of the newest interval.
  private var opening: Instant?
  private var first: Value?
  // The value that waits behind `first`, if the oldest is wanted.
  private var last: Value?

  package init(interval: Instant.Duration, wantsOldest: Bool) {
    self.interval = interval.bounded
    self.wantsOldest = wantsOldest
  }

  /// The instant at which a waiting value is due; nil if no value waits.
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

  // The value that waited behind `first` is older than all values that come from here on, so it becomes the first.
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
