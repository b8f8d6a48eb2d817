extension BindingSource {
  /// Hands out a value only after a quiet time in which no other value comes.
  ///
  /// ```swift
  /// for await query in search.debounce(for: .milliseconds(300)).values { … }
  /// ```
  ///
  /// The value that is current at the beginning waits like any other. The last value is never lost: readers receive it
  /// when the quiet time has passed, or when the source ends. The quiet time of a value begins when the debounced
  /// source looks at that value, soon after the write. If the quiet time of a waiting value has passed when the next
  /// value comes, the next value does not replace the waiting value. A timer runs only while a value waits. If the
  /// clock fails to sleep, the timer tries again. Operators before `debounce` see only the newest value, as with any
  /// reader with the backlog `.latest`. Without operators before `debounce`, writers read the clock on their own
  /// threads.
  ///
  /// Readers of one returned source share one timer. The returned source counts its own versions. A reader that begins
  /// while others read starts with the value that was delivered last. Each call creates a source with its own timer. If
  /// the last reader leaves while a value waits, that value is dropped. The next reader begins with the value that is
  /// current then.
  ///
  /// - Parameters:
  ///   - quiet: The time that must pass without another value. A negative time counts as zero, and a time of more than
  ///     a century counts as a century.
  ///   - clock: The clock that measures this time.
  @inlinable
  public func debounce<C: Clock>(
    for quiet: C.Duration,
    clock: C = ContinuousClock()
  ) -> some BindingSource<Value> where C.Duration: Sendable {
    let cursor = cursor
    return DerivedSource(
      RelayCursor("debounce", of: cursor.root.cell) { writer, turns in
        let debouncer = Debouncer(writer, quiet: quiet, RelayTimer(clock, in: turns, for: writer.cell))
        debouncer.reader.start(cursor, debouncer, .latest, through: writer, in: turns)
      }
    )
  }
}

/// Delivers a value when no other value has come for the quiet time. The shell around `DebounceState`.
///
/// The reader of a debouncer never rests. Each value restarts the quiet time, and only a read soon after the write
/// shows when the value came. If the reader rested until the end of the quiet time, it would read the new values only
/// then, and could not tell when they came. So their quiet time would begin at that read, and the last value could wait
/// for up to twice the quiet time.
// @unchecked: `state` is used only in the relay's turns. The constants are Sendable.
@usableFromInline
final class Debouncer<Value: Sendable, C: Clock>: TimedDriver, @unchecked Sendable
where C.Duration: Sendable {
  // Sendable: it has its own lock.
  @usableFromInline let reader = NewestReader()
  @usableFromInline let writer: RelayWriter<Value>
  @usableFromInline let timer: RelayTimer<C>

  // Used only in the relay's turns, so Swift need not check for overlapping accesses.
  @exclusivity(unchecked) @usableFromInline var storedState: DebounceState<Value, C.Instant>

  @inlinable var state: DebounceState<Value, C.Instant> {
    _read { yield unsafe storedState }
    _modify { yield unsafe &storedState }
  }

  @inlinable
  init(_ writer: RelayWriter<Value>, quiet: C.Duration, _ timer: RelayTimer<C>) {
    self.writer = writer
    self.timer = timer
    unsafe storedState = DebounceState(quiet: quiet)
  }

  @inlinable
  func take(_ value: Value) -> RelayDemand {
    if let due = state.valueCame(value, at: timer.now) { writer.send(due) }
    if !timer.isScheduled, let deadline = state.deadline {
      timer.schedule(at: deadline) { [weak self] in self?.timerFired() }
    }
    return .next
  }

  @inlinable
  func caughtUp() -> RelayDemand { .next }

  @usableFromInline
  func timerFired() -> C.Instant? {
    if let due = state.timePassed(at: timer.now) { writer.send(due) }
    return state.deadline
  }

  @usableFromInline
  func takeLast() -> Value? { state.sourceEnded() }
}
