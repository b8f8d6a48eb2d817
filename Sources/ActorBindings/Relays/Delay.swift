extension BindingSource {
  /// Hands out each value after a delay.
  ///
  /// ```swift
  /// // Compare with what was 5 seconds ago:
  /// let late = readings.delay(for: .seconds(5))
  /// ```
  ///
  /// No value is dropped, not even when the source ends: the returned source ends after the last value, with the same
  /// delay. The delay of a value begins when the delayed source looks at that value, soon after the write. So all
  /// values of the last `delay` are in memory, however many they are: put `throttle` or `sample` before `delay` if the
  /// source is fast. A reader of the returned source receives every value only with the backlog `.unbounded`.
  ///
  /// A timer runs only while a value waits. If the clock fails to sleep, the timer tries again. Operators before
  /// `delay` see every value. Without such operators, writers read the clock on their own threads.
  ///
  /// Readers of one returned source share one timer. The returned source counts its own versions. A reader that begins
  /// while others read starts with the value that was delivered last. When the last reader has left, the waiting values
  /// are dropped. Each call creates a source with its own timer.
  ///
  /// - Parameters:
  ///   - delay: The time for which each value waits. A negative time counts as zero, and a time of more than a century
  ///     counts as a century.
  ///   - clock: The clock that measures this time.
  @inlinable
  public func delay<C: Clock>(
    for delay: C.Duration,
    clock: C = ContinuousClock()
  ) -> some BindingSource<Value> where C.Duration: Sendable {
    let cursor = cursor
    return DerivedSource(
      RelayCursor("delay", of: cursor.root.cell) { writer, turns in
        let delayer = Delayer(writer, delay: delay, RelayTimer(clock, in: turns, for: writer.cell))
        delayer.reader.start(cursor, delayer, .unbounded, through: writer, in: turns)
      }
    )
  }
}

/// Hands out each value after a delay. The shell around `DelayState`.
// @unchecked: `state` is used only in the relay's turns. The constants are Sendable.
@usableFromInline
final class Delayer<Value: Sendable, C: Clock>: RelayDriver, RelayRecipient, @unchecked Sendable
where C.Duration: Sendable {
  // Sendable: it has its own lock.
  @usableFromInline let reader = NewestReader()
  @usableFromInline let writer: RelayWriter<Value>
  @usableFromInline let timer: RelayTimer<C>

  // Used only in the relay's turns, so Swift need not check for overlapping accesses.
  @exclusivity(unchecked) @usableFromInline var storedState: DelayState<Value, C.Instant>

  @inlinable var state: DelayState<Value, C.Instant> {
    _read { yield unsafe storedState }
    _modify { yield unsafe &storedState }
  }

  @usableFromInline var currentReaders: [RelayReader] { reader.current.map { [$0] } ?? [] }

  @inlinable
  init(_ writer: RelayWriter<Value>, delay: C.Duration, _ timer: RelayTimer<C>) {
    self.writer = writer
    self.timer = timer
    unsafe storedState = DelayState(delay: delay)
  }

  @inlinable
  func take(_ value: Value) -> RelayDemand {
    state.valueCame(value, at: timer.now)
    if !timer.isScheduled, let deadline = state.deadline {
      timer.schedule(at: deadline) { [weak self] in self?.timerFired() }
    }
    return .next
  }

  @inlinable
  func caughtUp() -> RelayDemand { .next }

  // The number of values that one turn delivers at most.
  @inlinable static var mostAtOnce: Int { 256 }

  @usableFromInline
  func timerFired() -> C.Instant? {
    let now = timer.now
    for _ in 0..<Self.mostAtOnce {
      guard let due = state.timePassed(at: now) else { break }
      writer.send(due)
    }
    if state.isOver { writer.finish() }
    return state.deadline
  }

  @usableFromInline
  func sourceEnded() -> Bool {
    state.sourceEnded()
    if state.isOver { writer.finish() }
    return true
  }

  // Called from any thread.
  @usableFromInline
  func stop() {
    reader.end()
    timer.cancel()
  }
}
