/// Decides which values a sampled source hands out, and when. A pure state machine: its caller passes the time.
///
/// Readers receive values only at *ticks*. The first value sets the ticks: they are a whole number of intervals later.
///
/// ### States
/// - *empty*: no value waits.
/// - *waiting*: the newest value waits for the next tick.
///
/// ### Transitions
/// | event | empty | waiting |
/// |---|---|---|
/// | `valueCame` | waiting | the new value replaces the waiting one; at or after the tick: empty, delivered |
/// | `timePassed` | nothing | empty, delivered; nothing before the tick |
/// | `sourceEnded` | nothing | empty, delivered |
///
/// ### Actions
/// An event returns the value that must be delivered. If there is a `deadline`, the caller must call `timePassed` at
/// that instant.
///
/// ### Behavior
/// Finding the next tick takes constant time, however many ticks have passed without a value. If more than 10¹⁵ ticks
/// have passed, or if the interval is not positive, a value sets the ticks again.
@usableFromInline
package struct SampleState<Value: Sendable, Instant: InstantProtocol> {
  // Only the events below change these variables. Their setters are not private, because inlinable functions set the
  // variables.
  @usableFromInline let interval: Instant.Duration
  // The newest tick that has passed; nil before the first value.
  @usableFromInline var tick: Instant?
  @usableFromInline var waiting: Value?
  /// The tick at which the waiting value is due; nil if no value waits.
  @usableFromInline package internal(set) var deadline: Instant?

  @inlinable
  package init(interval: Instant.Duration) {
    self.interval = interval.bounded
  }

  @inlinable
  package mutating func valueCame(_ value: Value, at now: Instant) -> Value? {
    waiting = value
    if deadline == nil { deadline = nextTick(after: now) }
    return timePassed(at: now)
  }

  @inlinable
  package mutating func timePassed(at now: Instant) -> Value? {
    guard let deadline, now >= deadline else { return nil }
    return sourceEnded()
  }

  @inlinable
  package mutating func sourceEnded() -> Value? {
    deadline = nil
    return waiting.take()
  }

  @inlinable
  mutating func nextTick(after now: Instant) -> Instant {
    guard interval > .zero else { return now }
    let last = tick ?? now
    let passed = last.duration(to: now) / interval
    // The division is not exact, so the result may be one tick off.
    var newest = passed < 1e15 ? last.advanced(by: interval * Int(passed)) : now
    if newest.advanced(by: interval) <= now { newest = newest.advanced(by: interval) }
    tick = newest
    return newest.advanced(by: interval)
  }
}

// A state belongs to the turns of one relay. Some clocks measure time in durations that are not Sendable.
@available(*, unavailable)
extension SampleState: Sendable {}
