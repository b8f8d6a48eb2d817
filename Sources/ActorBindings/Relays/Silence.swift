extension BindingSource {
  /// Says whether no value has come for some time: false when a value comes, true when the time has passed since the
  /// last one.
  ///
  /// ```swift
  /// heartbeats.isSilent(for: .seconds(30))
  ///   .observe(on: .queue(alarm)) { if $0 { page() } }
  /// ```
  ///
  /// The value that is current at the beginning counts as one that comes then, so the first element is false. Equal
  /// values count too. The time begins when the returned source looks at a value, soon after the write. A value that
  /// comes while the timer is late prevents the silence. The returned source ends with its source. Whether the end is a
  /// silence is for the reader to say.
  ///
  /// A timer runs until the source is silent. If the clock fails to sleep, the timer tries again. A value costs no new
  /// timer. Operators before `isSilent` see only the newest value, as with any reader with the backlog `.latest`.
  /// Without such operators, writers read the clock on their own threads.
  ///
  /// Readers of one returned source share one timer. The returned source counts its own versions. A reader that begins
  /// while others read starts with the current state. Each call creates a source with its own timer.
  ///
  /// - Parameters:
  ///   - quiet: The time that must pass without a value. A negative time counts as zero, and a time of more than a
  ///     century counts as a century.
  ///   - clock: The clock that measures this time.
  @inlinable
  public func isSilent<C: Clock>(
    for quiet: C.Duration,
    clock: C = ContinuousClock()
  ) -> some BindingSource<Bool> where C.Duration: Sendable {
    let cursor = cursor
    return DerivedSource(
      RelayCursor("isSilent", of: cursor.root.cell) { writer, turns in
        let watch = SilenceWatch<Value, C>(
          writer,
          quiet: quiet,
          RelayTimer(clock, in: turns, for: writer.cell)
        )
        watch.reader.start(cursor, watch, .latest, through: writer, in: turns)
      }
    )
  }
}

/// Reports whether a source is silent. The shell around `SilenceState`.
///
/// Like the reader of a `Debouncer`, its reader never rests, because only a read soon after the write shows when a
/// value came.
// @unchecked: `state` is used only in the relay's turns. The constants are Sendable.
@usableFromInline
final class SilenceWatch<Value: Sendable, C: Clock>: TimedDriver, @unchecked Sendable
where C.Duration: Sendable {
  @usableFromInline typealias Element = Value

  // Sendable: it has its own lock.
  @usableFromInline let reader = NewestReader()
  @usableFromInline let writer: RelayWriter<Bool>
  @usableFromInline let timer: RelayTimer<C>

  // Used only in the relay's turns, so Swift need not check for overlapping accesses.
  @exclusivity(unchecked) @usableFromInline var storedState: SilenceState<C.Instant>

  @inlinable var state: SilenceState<C.Instant> {
    _read { yield unsafe storedState }
    _modify { yield unsafe &storedState }
  }

  @inlinable
  init(_ writer: RelayWriter<Bool>, quiet: C.Duration, _ timer: RelayTimer<C>) {
    self.writer = writer
    self.timer = timer
    unsafe storedState = SilenceState(quiet: quiet)
  }

  @inlinable
  func take(_ value: Value) -> RelayDemand {
    if let change = state.valueCame(at: timer.now) { writer.send(change) }
    if !timer.isScheduled, let deadline = state.deadline {
      timer.schedule(at: deadline) { [weak self] in self?.timerFired() }
    }
    return .next
  }

  @inlinable
  func caughtUp() -> RelayDemand { .next }

  @usableFromInline
  func timerFired() -> C.Instant? {
    if let change = state.timePassed(at: timer.now) { writer.send(change) }
    return state.deadline
  }

  @usableFromInline
  func takeLast() -> Bool? { nil }
}
