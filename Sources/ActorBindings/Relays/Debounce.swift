extension BindingSource {
  /// A source of the values after which nothing came for a while.
  ///
  /// ```swift
  /// for await query in search.debounce(for: .milliseconds(300)).values { … }
  /// ```
  ///
  /// The value that is current at the beginning waits like any other. The last value is never lost: it is handed out
  /// when the time has passed, or when the source ends. The time counts from when a value is looked at, soon after it
  /// was sent; a value that is looked at when the time of another has just passed, or later, does not replace it. A
  /// timer runs only while a value waits; if the clock fails to sleep, it tries again. Operators before it are asked
  /// about the newest value, as by any reader that has no backlog.
  ///
  /// Readers of the same source share one timer, and what they are handed has versions of its own; a reader that comes
  /// while others read begins with the value that was handed out last. Each call makes a source with its own timer.
  ///
  /// - Parameters:
  ///   - quiet: For how long nothing must have come. Negative is zero; more than a century is a century.
  ///   - clock: Measures it.
  public func debounce<C: Clock>(
    for quiet: C.Duration,
    clock: C = ContinuousClock()
  ) -> DerivedSource<RelayCursor<Value>> where C.Duration: Sendable {
    let cursor = cursor
    return DerivedSource(
      RelayCursor(of: cursor.root.cell) { outlet, actor in
        let debouncer = Debouncer(outlet, quiet: quiet, Alarm(clock, on: actor))
        debouncer.reader.begin(cursor, debouncer, .latest, through: outlet, on: actor)
      }
    )
  }
}

/// Hands a value on when nothing has come after it for a while. The shell around `DebounceState`.
///
/// Its reader never rests: each value restarts the quiet time, and only a look soon after the write knows when it came.
/// To look only when the time has passed would find that values came, but not when, and hand out the last of them up to
/// twice as late.
// @unchecked: the relay's isolation's own, except what says otherwise.
private final class Debouncer<Value: Sendable, C: Clock>: RelayDriver, RelayRecipient, @unchecked Sendable
where C.Duration: Sendable {
  // Sendable.
  let reader = NewestReader()
  private let outlet: Outlet<Value>
  private let alarm: Alarm<C>

  private var state: DebounceState<Value, C.Instant>

  init(_ outlet: Outlet<Value>, quiet: C.Duration, _ alarm: Alarm<C>) {
    self.outlet = outlet
    self.alarm = alarm
    state = DebounceState(quiet: quiet)
  }

  var source: AnyCell? { reader.source }

  func receive(_ value: Value) -> RelayDemand {
    if let due = state.valueCame(value, at: alarm.now) { outlet.send(due) }
    if let deadline = state.deadline { alarm.set(for: deadline) { [weak self] in self?.alarmRang() } }
    return .next
  }

  func caughtUp() -> RelayDemand { .next }

  private func alarmRang() -> C.Instant? {
    if let due = state.timePassed(at: alarm.now) { outlet.send(due) }
    return state.deadline
  }

  func sourceEnded() {
    alarm.cancel()
    if let last = state.sourceEnded() { outlet.send(last) }
    outlet.finish()
  }

  // From anywhere.
  func stop() {
    reader.end()
    alarm.cancel()
  }
}
