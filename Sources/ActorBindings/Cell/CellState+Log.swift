// The log of a cell: what a write, and an `.unbounded` reader that joins or leaves, do to it.
extension CellState {
  /// The newest chunk of the log; nil without `.unbounded` readers.
  package var tail: LogChunk<Value>? { unsafe storedTail?.takeUnretainedValue() }

  @inlinable
  mutating func append(_ version: UInt64, to tail: Unmanaged<LogChunk<Value>>) {
    let next: Unmanaged<LogChunk<Value>>? = unsafe tail._withUnsafeGuaranteedRef { chunk in
      if chunk.holds(version) || chunk.restartedWhileLocked(at: version) {
        chunk.writtenWhileLocked(value, at: newest, version, pending: logWeight)
        return nil
      }
      let next = chunk.extendWhileLocked(to: version)
      next.writtenWhileLocked(value, at: newest, version, pending: logWeight)
      return unsafe .passUnretained(next)
    }
    if let next = unsafe next { unsafe storedTail = unsafe next }
  }

  // Returns the chunk with the current update. If all readers of the log have passed that update, its value is no longer
  // in the log. Then the reader gets a chunk of its own with that value, and the log follows.
  @inlinable
  mutating func joinedLog(at version: UInt64) -> LogChunk<Value> {
    logReaders += 1
    logWeight += 1
    guard let tail = unsafe storedTail?.takeUnretainedValue() else {
      let start = LogChunk(start: value, at: version)
      unsafe storedTail = .passUnretained(start)
      return start
    }
    return tail.joinedWhileLocked(version) ? tail : LogChunk(start: value, at: version, before: tail)
  }

  // The position still holds its chunk. So this releases no chunk, and the last reader that leaves takes the whole log
  // along.
  @inlinable
  mutating func leftLog(
    _ position: ReadPosition<Value>,
    at version: UInt64,
    of cell: Cell<Value>
  ) -> Evicted<Value> {
    logReaders -= 1
    if logReaders == 0 {
      unsafe storedTail = nil
      logWeight = 0
      logsEnded &+= 1
      return .nothing
    }
    guard position.seen != version, let chunk = position.chunk else {
      logWeight -= position.weight
      return .nothing
    }
    return LogDeparture.departed(position, from: chunk, of: cell, log: logsEnded, end: version)
  }

  /// A `LogDeparture` has come to the end of the log that it knew. Returns the new end. If there is none, returns nil:
  /// then the departed readers no longer count, or the log has ended.
  ///
  /// - Parameter log: The number of the log.
  mutating func departedReadersArrived(
    _ weight: UInt32,
    after end: UInt64,
    log: UInt32,
    _ version: UInt64
  ) -> UInt64? {
    if log != logsEnded { return nil }
    if version != end { return version }
    logWeight -= weight
    return nil
  }
}
