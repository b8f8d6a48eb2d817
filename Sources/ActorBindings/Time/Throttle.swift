extension BindingSource {
  /// A source of at most one value in an interval.
  ///
  /// ```swift
  /// progress.throttle(for: .seconds(1)).observe(on: .queue(display)) { … }
  /// ```
  ///
  /// A value that comes after a quiet interval is handed out at once. Those that come within the interval after it wait
  /// for its end. The last value is never lost: it is handed out at the end of an interval, or when the source ends. A
  /// timer runs only while a value waits. Operators before it are asked about the newest value, as by any reader that
  /// has no backlog; if `latest` is false, about every value.
  ///
  /// Readers of the same source share one timer, and what they are handed has versions of its own; a reader that comes
  /// while others read begins with the value that was handed out last. Each call makes a source with its own timer.
  ///
  /// - Parameters:
  ///   - interval: How far apart two values are at least.
  ///   - latest: Of the values that wait, the newest is handed out at the end of the interval, and the others are not.
  ///     If false the oldest is; then the newest waits for the next one.
  ///   - clock: Measures it.
  public func throttle<C: Clock>(
    for interval: C.Duration,
    latest: Bool = true,
    clock: C = ContinuousClock()
  ) -> DerivedSource<RelayCursor<Value>> where C.Duration: Sendable {
    let cursor = cursor
    return DerivedSource(
      RelayCursor(of: cursor.root.cell) { outlet, actor in
        let throttle = Throttle(outlet, interval: interval, keepsOldest: !latest, Alarm(clock, on: actor))
        // Only who looks at all of them knows the oldest.
        throttle.observation.begin(
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

/// Hands on at most one value in an interval.
// @unchecked: on the relay's isolation alone, but for what says otherwise.
private final class Throttle<Value: Sendable, C: Clock>: RelayDriver, Recipient, @unchecked Sendable
where C.Duration: Sendable {
  // Sendable.
  let observation = RelayObservation()
  private let outlet: Outlet<Value>
  private let interval: C.Duration
  private let keepsOldest: Bool
  private let alarm: Alarm<C>

  // When the next value may be handed on.
  private var opening: C.Instant?
  private var oldest: Value?
  private var newest: Value?

  init(_ outlet: Outlet<Value>, interval: C.Duration, keepsOldest: Bool, _ alarm: Alarm<C>) {
    self.outlet = outlet
    self.interval = interval
    self.keepsOldest = keepsOldest
    self.alarm = alarm
  }

  var isGone: Bool { false }

  func receive(_ value: Value) -> Bool {
    if let opening, newest != nil || oldest != nil || alarm.now < opening {
      if keepsOldest, oldest == nil { oldest = value } else { newest = value }
      alarm.set(for: opening) { [weak self] in self?.awoke() }
    } else {
      handOver(value)
    }
    return true
  }

  private func awoke() -> C.Instant? {
    guard let opening else { return nil }
    if alarm.now < opening { return opening }
    guard let value = oldest.take() ?? newest.take() else { return nil }
    // What has waited is older than all that comes from here on.
    if keepsOldest { oldest = newest.take() }
    handOver(value)
    return oldest == nil ? nil : self.opening
  }

  private func handOver(_ value: Value) {
    opening = alarm.now.advanced(by: interval)
    outlet.send(value)
  }

  func sourceEnded() {
    alarm.cancel()
    if let value = newest ?? oldest { outlet.send(value) }
    (oldest, newest) = (nil, nil)
    outlet.finish()
  }

  // From anywhere.
  func stop() {
    observation.end()
    alarm.cancel()
  }
}
