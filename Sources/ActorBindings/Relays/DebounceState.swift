/// Decides which values a debounced source hands out, and when. A pure state machine: its caller passes the time.
///
/// ### States
/// - *quiet*: no value waits.
/// - *waiting*: one value waits, until its deadline.
///
/// ### Transitions
/// | event | quiet | waiting |
/// |---|---|---|
/// | `valueCame` | waiting | the new value waits; the old value is handed out if its deadline has come, else dropped |
/// | `timePassed` | nothing | quiet, the value is handed out; nothing before its deadline |
/// | `sourceEnded` | nothing | quiet, the value is handed out |
///
/// ### Actions
/// An event returns the value that must be delivered. If there is a `deadline`, the caller must call `timePassed` at
/// that instant.
///
/// ### Behavior
/// The quiet time of a value includes the instant at which the value came, but not the instant at which the quiet time
/// ends. So a value that comes exactly at that end does not replace the waiting value: the waiting value is handed out.
/// The same holds for a later value, if the timer is late.
@usableFromInline
package struct DebounceState<Value: Sendable, Instant: InstantProtocol> {
  // Only the events below change these variables. Their setters are not private, because inlinable functions set the
  // variables.
  @usableFromInline let quiet: Instant.Duration
  @usableFromInline var waiting: Value?
  /// The instant at which the waiting value is due; nil if no value waits.
  @usableFromInline package internal(set) var deadline: Instant?

  @inlinable
  package init(quiet: Instant.Duration) {
    self.quiet = quiet.bounded
  }

  @inlinable
  package mutating func valueCame(_ value: Value, at now: Instant) -> Value? {
    let due = timePassed(at: now)
    waiting = value
    deadline = now.advanced(by: quiet)
    return due
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
}

// A state belongs to the turns of one relay. Some clocks measure time in durations that are not Sendable.
@available(*, unavailable)
extension DebounceState: Sendable {}
