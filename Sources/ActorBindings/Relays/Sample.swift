extension BindingSource {
  /// Hands out the newest value at regular instants.
  ///
  /// ```swift
  /// progress.sample(every: .seconds(1)).observe(on: .queue(display)) { … }
  /// ```
  ///
  /// The first value sets the instants: they are one, two, three … intervals later. At each of them readers receive the
  /// newest value, if there is one that they have not received. The value that is current at the beginning waits like
  /// any other. The last value is never lost: readers receive it at the next of these instants, or when the source
  /// ends. (`throttle` delivers the first value at once, and measures each interval from the value before.)
  ///
  /// A timer runs only while a value waits. If the clock fails to sleep, the timer tries again. While a value waits,
  /// the sampled source does not look at its own source. So during that time writes cost their writers nothing, and
  /// operators before `sample` see only the newest value, as with any reader with the backlog `.latest`. Without
  /// operators before `sample`, writers read the clock on their own threads.
  ///
  /// Readers of one returned source share one timer. The returned source counts its own versions. A reader that begins
  /// while others read starts with the value that was delivered last. Each call creates a source with its own timer. If
  /// the last reader leaves while a value waits, that value is dropped. The next reader begins with the value that is
  /// current then.
  ///
  /// - Parameters:
  ///   - interval: The time between two instants. With zero or less, each value is delivered at once. A time of more
  ///     than a century counts as a century.
  ///   - clock: The clock that measures the interval.
  @inlinable
  public func sample<C: Clock>(
    every interval: C.Duration,
    clock: C = ContinuousClock()
  ) -> some BindingSource<Value> where C.Duration: Sendable {
    let cursor = cursor
    return DerivedSource(
      RelayCursor("sample", of: cursor.root.cell) { writer, turns in
        let sampler = Sampler(writer, interval: interval, RelayTimer(clock, in: turns, for: writer.cell))
        sampler.reader.start(cursor, sampler, .latest, through: writer, in: turns)
      }
    )
  }
}

/// Hands out the newest value at regular instants. The shell around `SampleState`.
///
/// While a value waits, the reader rests until the next tick. Then it reads the value that is newest at that time.
// @unchecked: `state` is used only in the relay's turns. The constants are Sendable.
@usableFromInline
final class Sampler<Value: Sendable, C: Clock>: TimedDriver, @unchecked Sendable where C.Duration: Sendable {
  // Sendable: it has its own lock.
  @usableFromInline let reader = NewestReader()
  @usableFromInline let writer: RelayWriter<Value>
  @usableFromInline let timer: RelayTimer<C>

  // Used only in the relay's turns, so Swift need not check for overlapping accesses.
  @exclusivity(unchecked) @usableFromInline var storedState: SampleState<Value, C.Instant>

  @inlinable var state: SampleState<Value, C.Instant> {
    _read { yield unsafe storedState }
    _modify { yield unsafe &storedState }
  }

  @inlinable
  init(_ writer: RelayWriter<Value>, interval: C.Duration, _ timer: RelayTimer<C>) {
    self.writer = writer
    self.timer = timer
    unsafe storedState = SampleState(interval: interval)
  }

  @inlinable
  func take(_ value: Value) -> RelayDemand {
    if let due = state.valueCame(value, at: timer.now) { writer.send(due) }
    return demand()
  }

  @inlinable
  func caughtUp() -> RelayDemand {
    if state.deadline != nil, let due = state.timePassed(at: timer.now) { writer.send(due) }
    return demand()
  }

  @inlinable
  func demand() -> RelayDemand {
    guard let deadline = state.deadline else { return .next }
    if !timer.isScheduled { timer.schedule(at: deadline) { [weak self] in self?.timerFired() } }
    return .rest
  }

  @usableFromInline
  func timerFired() -> C.Instant? {
    if let deadline = state.deadline, timer.now < deadline { return deadline }
    // The reader reads what is new, and then the sampler sends the newest value.
    reader.resume()
    return state.deadline
  }

  @usableFromInline
  func takeLast() -> Value? { state.sourceEnded() }
}
