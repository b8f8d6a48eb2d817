extension BindingSource {
  /// Hands out at most one value in an interval.
  ///
  /// ```swift
  /// progress.throttle(for: .seconds(1)).observe(on: .queue(display)) { … }
  /// ```
  ///
  /// An interval begins when readers receive a value. Values that come within the interval wait for its end. Readers
  /// receive a value at once if no interval runs when the value comes. They also receive a value at once if it comes at
  /// the very instant at which an interval ends, and no other value waits. The last value is never lost: readers
  /// receive it at the end of an interval, or when the source ends. When the source ends, the last value does not wait
  /// for the end of the interval. If two values wait when the source ends, readers receive the newer value, and the
  /// older value is dropped.
  ///
  /// A timer runs only while a value waits. If the clock fails to sleep, the timer tries again. From the first waiting
  /// value until the end of the interval, the throttled source does not look at its own source. So during that time
  /// writes cost their writers nothing, and operators before `throttle` see only the newest value, as with any reader
  /// with the backlog `.latest`. If `latest` is false, these operators see every value, and each write pays for that.
  /// Without operators before `throttle`, writers read the clock on their own threads.
  ///
  /// Readers of one returned source share one timer. The returned source counts its own versions. A reader that begins
  /// while others read starts with the value that was delivered last. Each call creates a source with its own timer. If
  /// the last reader leaves while a value waits, that value is dropped. The next reader begins with the value that is
  /// current then.
  ///
  /// - Parameters:
  ///   - interval: The least time between two values. A negative time counts as zero, and a time of more than a century
  ///     counts as a century.
  ///   - latest: Whether readers receive the newest of the waiting values at the end of the interval, and none of the
  ///     others. If false, readers receive the oldest of the waiting values, and the newest waits for the end of the
  ///     next interval.
  ///   - clock: The clock that measures the interval.
  @inlinable
  public func throttle<C: Clock>(
    for interval: C.Duration,
    latest: Bool = true,
    clock: C = ContinuousClock()
  ) -> some BindingSource<Value> where C.Duration: Sendable {
    let cursor = cursor
    return DerivedSource(
      RelayCursor("throttle", of: cursor.root.cell) { writer, turns in
        let throttle = Throttle(
          writer,
          interval: interval,
          wantsOldest: !latest,
          RelayTimer(clock, in: turns, for: writer.cell)
        )
        // To find the oldest value, the reader must look at all values.
        throttle.reader.start(
          cursor,
          throttle,
          latest ? .latest : .unbounded,
          through: writer,
          in: turns
        )
      }
    )
  }
}

/// Hands out at most one value in an interval. The shell around `ThrottleState`.
///
/// While a value waits, the reader rests until the interval ends. Then it reads the value that is newest at that time.
/// If the oldest value is wanted, the reader never rests: it looks at each value, and values must not pile up until the
/// interval ends.
// @unchecked: `state` is used only in the relay's turns. The constants are Sendable.
@usableFromInline
final class Throttle<Value: Sendable, C: Clock>: TimedDriver, @unchecked Sendable
where C.Duration: Sendable {
  // Sendable: it has its own lock.
  @usableFromInline let reader = NewestReader()
  @usableFromInline let writer: RelayWriter<Value>
  @usableFromInline let mayRest: Bool
  @usableFromInline let timer: RelayTimer<C>

  // Used only in the relay's turns, so Swift need not check for overlapping accesses.
  @exclusivity(unchecked) @usableFromInline var storedState: ThrottleState<Value, C.Instant>

  @inlinable var state: ThrottleState<Value, C.Instant> {
    _read { yield unsafe storedState }
    _modify { yield unsafe &storedState }
  }

  @inlinable
  init(_ writer: RelayWriter<Value>, interval: C.Duration, wantsOldest: Bool, _ timer: RelayTimer<C>) {
    self.writer = writer
    self.timer = timer
    mayRest = !wantsOldest
    unsafe storedState = ThrottleState(interval: interval, wantsOldest: wantsOldest)
  }

  @inlinable
  func take(_ value: Value) -> RelayDemand {
    if let due = state.valueCame(value, at: timer.now) { writer.send(due) }
    return demand()
  }

  @inlinable
  func caughtUp() -> RelayDemand {
    handOutWhatIsDue()
    return demand()
  }

  @inlinable
  func handOutWhatIsDue() {
    if state.deadline != nil, let due = state.timePassed(at: timer.now) { writer.send(due) }
  }

  @inlinable
  func demand() -> RelayDemand {
    guard let deadline = state.deadline else { return .next }
    if !timer.isScheduled { timer.schedule(at: deadline) { [weak self] in self?.timerFired() } }
    return mayRest ? .rest : .next
  }

  @usableFromInline
  func timerFired() -> C.Instant? {
    if let deadline = state.deadline, timer.now < deadline { return deadline }
    // A reader that rested reads what is new, and then the throttle sends the value that is due. After that, the reader
    // either goes on, or rests until the deadline that this function returns.
    if mayRest { reader.resume() } else { handOutWhatIsDue() }
    return state.deadline
  }

  @usableFromInline
  func takeLast() -> Value? { state.sourceEnded() }
}
