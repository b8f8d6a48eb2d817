/// Decides whether a source is silent. A pure state machine: its caller passes the time.
///
/// ### States
/// - *unknown*: no value has come yet.
/// - *active*: the time since the newest value is shorter than the quiet time.
/// - *silent*: the quiet time has passed since the newest value.
///
/// ### Transitions
/// | event | unknown | active | silent |
/// |---|---|---|---|
/// | `valueCame` | active, reported | active, with a later deadline | active, reported |
/// | `timePassed` | nothing | silent, reported; nothing before the deadline | nothing |
///
/// ### Behavior
/// A value that comes at the deadline, or while the timer is late, prevents the silence.
@usableFromInline
package struct SilenceState<Instant: InstantProtocol> {
  // Only the events below change these variables. Their setters are not private, because inlinable functions set the
  // variables.
  @usableFromInline let quiet: Instant.Duration
  @usableFromInline var isSilent: Bool?
  /// The instant at which the source becomes silent; nil if it is silent already, or unknown.
  @usableFromInline package internal(set) var deadline: Instant?

  @inlinable
  package init(quiet: Instant.Duration) {
    self.quiet = quiet.bounded
  }

  /// Returns false if readers must learn that the source is not silent.
  @inlinable
  package mutating func valueCame(at now: Instant) -> Bool? {
    deadline = now.advanced(by: quiet)
    if isSilent == false { return nil }
    isSilent = false
    return false
  }

  /// Returns true if readers must learn that the source is silent.
  @inlinable
  package mutating func timePassed(at now: Instant) -> Bool? {
    guard let deadline, now >= deadline else { return nil }
    self.deadline = nil
    isSilent = true
    return true
  }
}

// A state belongs to the turns of one relay. Some clocks measure time in durations that are not Sendable.
@available(*, unavailable)
extension SilenceState: Sendable {}
