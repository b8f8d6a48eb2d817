extension BindingSource {
  /// A source of the values after which nothing came for a while.
  ///
  /// ```swift
  /// for await query in search.debounce(for: .milliseconds(300)).values { … }
  /// ```
  ///
  /// The value that is current at the beginning waits like any other. The last value is never lost: it is handed out
  /// when the time has passed, or when the source ends. The time counts from when a value is looked at, soon after it
  /// was sent. A timer runs only while a value waits. Operators before it are asked about the newest value, as by any
  /// reader that has no backlog.
  ///
  /// Readers of the same source share one timer, and what they are handed has versions of its own; a reader that comes
  /// while others read begins with the value that was handed out last. Each call makes a source with its own timer.
  ///
  /// - Parameters:
  ///   - quiet: For how long nothing must have come.
  ///   - clock: Measures it.
  public func debounce<C: Clock>(
    for quiet: C.Duration,
    clock: C = ContinuousClock()
  ) -> DerivedSource<RelayCursor<Value>> where C.Duration: Sendable {
    let cursor = cursor
    return DerivedSource(
      RelayCursor(of: cursor.root.cell) { outlet, actor in
        let debouncer = Debouncer(outlet, quiet: quiet, Alarm(clock, on: actor))
        debouncer.observation.begin(cursor, debouncer, .latest, through: outlet, on: actor)
      }
    )
  }
}

/// Hands a value on when nothing has come after it for a while.
// @unchecked: on the relay's isolation alone, but for what says otherwise.
private final class Debouncer<Value: Sendable, C: Clock>: RelayDriver, Recipient, @unchecked Sendable
where C.Duration: Sendable {
  // Sendable.
  let observation = RelayObservation()
  private let outlet: Outlet<Value>
  private let quiet: C.Duration
  private let alarm: Alarm<C>

  private var waiting: Value?
  private var deadline: C.Instant

  init(_ outlet: Outlet<Value>, quiet: C.Duration, _ alarm: Alarm<C>) {
    self.outlet = outlet
    self.quiet = quiet
    self.alarm = alarm
    deadline = alarm.now
  }

  var isGone: Bool { false }

  func receive(_ value: Value) -> Bool {
    waiting = value
    deadline = alarm.now.advanced(by: quiet)
    alarm.set(for: deadline) { [weak self] in self?.awoke() }
    return true
  }

  private func awoke() -> C.Instant? {
    if alarm.now < deadline { return deadline }
    handOver()
    return nil
  }

  private func handOver() {
    if let value = waiting.take() { outlet.send(value) }
  }

  func sourceEnded() {
    alarm.cancel()
    handOver()
    outlet.finish()
  }

  // From anywhere.
  func stop() {
    observation.end()
    alarm.cancel()
  }
}
