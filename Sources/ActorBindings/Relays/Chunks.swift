extension BindingSource {
  /// Collects values into arrays: an array is handed out when it is full, or when a time has passed since its first
  /// value.
  ///
  /// ```swift
  /// let chunks = orders.chunks(ofCount: 100, orAfter: .seconds(1))
  /// for await rows in chunks.values(backlog: .unbounded) {
  ///   try await database.insert(rows)
  /// }
  /// ```
  ///
  /// No value is dropped: the value that is current at the beginning is the first of the first array, and when the
  /// source ends, readers receive the rest. An array is never empty. A reader of the returned source receives every
  /// array only with the backlog `.unbounded`.
  ///
  /// A timer runs only while values wait. If the clock fails to sleep, the timer tries again. Operators before `chunks`
  /// see every value. Without such operators, writers read the clock on their own threads.
  ///
  /// Readers of one returned source share one timer. The returned source counts its own versions. A reader that begins
  /// while others read starts with the array that was delivered last. When the last reader has left, the waiting values
  /// are dropped. Each call creates a source with its own timer.
  ///
  /// - Parameters:
  ///   - count: The number of values in a full array, at least 1.
  ///   - time: The longest time for which a value waits. A negative time counts as zero, and a time of more than a
  ///     century counts as a century.
  ///   - clock: The clock that measures this time.
  @inlinable
  public func chunks<C: Clock>(
    ofCount count: Int,
    orAfter time: C.Duration,
    clock: C = ContinuousClock()
  ) -> some BindingSource<[Value]> where C.Duration: Sendable {
    guard count >= 1 else { fatalError("a chunk has at least 1 value, not \(count)") }
    let cursor = cursor
    return DerivedSource(
      RelayCursor("chunks", of: cursor.root.cell) { writer, turns in
        let chunker = Chunker<Value, C>(
          writer,
          size: count,
          time: time,
          RelayTimer(clock, in: turns, for: writer.cell)
        )
        chunker.reader.start(cursor, chunker, .unbounded, through: writer, in: turns)
      }
    )
  }
}

/// Collects values into arrays. The shell around `ChunkState`.
// @unchecked: `state` is used only in the relay's turns. The constants are Sendable.
@usableFromInline
final class Chunker<Value: Sendable, C: Clock>: TimedDriver, @unchecked Sendable where C.Duration: Sendable {
  // Sendable: it has its own lock.
  @usableFromInline let reader = NewestReader()
  @usableFromInline let writer: RelayWriter<[Value]>
  @usableFromInline let timer: RelayTimer<C>

  // Used only in the relay's turns, so Swift need not check for overlapping accesses.
  @exclusivity(unchecked) @usableFromInline var storedState: ChunkState<Value, C.Instant>

  @inlinable var state: ChunkState<Value, C.Instant> {
    _read { yield unsafe storedState }
    _modify { yield unsafe &storedState }
  }

  @inlinable
  init(_ writer: RelayWriter<[Value]>, size: Int, time: C.Duration, _ timer: RelayTimer<C>) {
    self.writer = writer
    self.timer = timer
    unsafe storedState = ChunkState(size: size, time: time)
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
  func takeLast() -> [Value]? { state.sourceEnded() }
}
