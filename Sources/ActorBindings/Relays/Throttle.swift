extension BindingSource {
  /// A source of at most one value in an interval.
  ///
  /// ```swift
  /// progress.throttle(for: .seconds(1)).observe(on: .queue(display)) { … }
  /// ```
  ///
  /// A value that comes after a quiet interval is handed out at once, and so is one that comes at the very instant at
  /// which an interval ends, unless another one waits. Those that come within the interval wait for its end. The last
  /// value is never lost: it is handed out at the end of an interval, or when the source ends. The end of the source does
  /// not wait for the interval; of two values that wait then, the newest is handed out and the older one is dropped.
  ///
  /// A timer runs only while a value waits; if the clock fails to sleep, it tries again. The first value that waits is the
  /// last one that costs its writer anything: until the interval ends nothing is looked at. So operators before it are
  /// asked about the newest value, as by any reader that has no backlog. If `latest` is false they are asked about every
  /// value, and each write pays for that.
  ///
  /// Readers of the same source share one timer, and what they are handed has versions of its own; a reader that comes
  /// while others read begins with the value that was handed out last. Each call makes a source with its own timer.
  ///
  /// - Parameters:
  ///   - interval: How far apart two values are at least. Negative is zero; more than a century is a century.
  ///   - latest: Of the values that wait, the newest is handed out at the end of the interval, and the others are not.
  ///     If false the oldest is, and then the newest waits for the next one.
  ///   - clock: Measures it.
  public func throttle<C: Clock>(
    for interval: C.Duration,
    latest: Bool = true,
    clock: C = ContinuousClock()
  ) -> DerivedSource<RelayCursor<Value>> where C.Duration: Sendable {
    let cursor = cursor
    return DerivedSource(
      RelayCursor(of: cursor.root.cell) { outlet, actor in
        let throttle = Throttle(outlet, interval: interval, wantsOldest: !latest, Alarm(clock, on: actor))
        // The oldest is found only by looking at all of them.
        throttle.reader.begin(
          cursor,
          throttle,
          latest ? .latest : .unbounded,
          through: outlet,
          on: actor
        )
      }
    )
  }
}

/// Hands on at most one value in an interval. The shell around `ThrottleState`.
///
/// While a value waits, its reader rests until the interval ends: then it reads what is newest by that time. If the oldest
/// is wanted it goes on reading, for each value is looked at, and nothing may pile up until then.
// @unchecked: the relay's isolation's own, except what says otherwise.
private final class Throttle<Value: Sendable, C: Clock>: RelayDriver, RelayRecipient, @unchecked Sendable
where C.Duration: Sendable {
  // Sendable.
  let reader = NewestReader()
  private let outlet: Outlet<Value>
  private let mayRest: Bool
  private let alarm: Alarm<C>

  private var state: ThrottleState<Value, C.Instant>

  init(_ outlet: Outlet<Value>, interval: C.Duration, wantsOldest: Bool, _ alarm: Alarm<C>) {
    self.outlet = outlet
    self.alarm = alarm
    mayRest = !wantsOldest
    state = ThrottleState(interval: interval, wantsOldest: wantsOldest)
  }

  var source: AnyCell? { reader.source }

  func receive(_ value: Value) -> RelayDemand {
    if let due = state.valueCame(value, at: alarm.now) { outlet.send(due) }
    return demand()
  }

  func caughtUp() -> RelayDemand {
    handOutWhatIsDue()
    return demand()
  }

  private func handOutWhatIsDue() {
    if state.deadline != nil, let due = state.timePassed(at: alarm.now) { outlet.send(due) }
  }

  private func demand() -> RelayDemand {
    guard let deadline = state.deadline else { return .next }
    alarm.set(for: deadline) { [weak self] in self?.alarmRang() }
    return mayRest ? .rest : .next
  }

  private func alarmRang() -> C.Instant? {
    if let deadline = state.deadline, alarm.now < deadline { return deadline }
    // A reader that rested reads what is new, and then hands out what is due: whatever it does, it either goes on or rests
    // for the deadline that is returned here.
    if mayRest { reader.resume() } else { handOutWhatIsDue() }
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
