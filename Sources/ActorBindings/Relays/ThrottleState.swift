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
@usableFromInline
package struct ThrottleState<Value: Sendable, Instant: InstantProtocol> {
  // Only the events below change these variables. Their setters are not private, because inlinable functions set the
  // variables.
  @usableFromInline let interval: Instant.Duration
  @usableFromInline let wantsOldest: Bool

  // The end of the newest interval.
  @usableFromInline var opening: Instant?
  @usableFromInline var first: Value?
  // The value that waits behind `first`, if the oldest is wanted.
  @usableFromInline var last: Value?

  @inlinable
  package init(interval: Instant.Duration, wantsOldest: Bool) {
    self.interval = interval.bounded
    self.wantsOldest = wantsOldest
  }

  /// The instant at which a waiting value is due; nil if no value waits.
  @inlinable
  package var deadline: Instant? { first == nil ? nil : opening }

  @inlinable
  package mutating func valueCame(_ value: Value, at now: Instant) -> Value? {
    if wantsOldest, first != nil {
      last = value
      return nil
    }
    first = value
    guard let opening, now < opening else { return handedOut(at: now) }
    return nil
  }

  @inlinable
  package mutating func timePassed(at now: Instant) -> Value? {
    guard let deadline, now >= deadline else { return nil }
    return handedOut(at: now)
  }

  // The value that waited behind `first` is older than all values that come from here on, so it becomes the first.
  @inlinable
  mutating func handedOut(at now: Instant) -> Value? {
    opening = now.advanced(by: interval)
    defer { first = last.take() }
    return first.take()
  }

  @inlinable
  package mutating func sourceEnded() -> Value? {
    defer { (first, last) = (nil, nil) }
    return last ?? first
  }
}

// A state belongs to the turns of one relay. Some clocks measure time in durations that are not Sendable.
@available(*, unavailable)
extension ThrottleState: Sendable {}
