/// A reader that was the slowest reader of the log, and has left. Releases the updates that only this reader wanted.
///
/// Its deinit is never run under a lock. Beginning with the update at which the reader stood, it clears each slot that is
/// finished, and moves the departed readers to the next slot. It stops at the first slot that another reader has still
/// to pass, because the last reader of that slot takes the departed readers along. At the end of the log, the cell no
/// longer counts the departed readers for later updates. Each slot is cleared once, so this takes as many steps as the
/// reader that has left would have taken to read these updates.
// @unchecked: only the deinit changes the variables.
@usableFromInline
package final class LogDeparture<Value: Sendable>: @unchecked Sendable {
  private let cell: Cell<Value>
  private let log: UInt32
  private var chunk: LogChunk<Value>
  // The slot of this version is finished: only departed readers, of this weight, have not passed it.
  private var version: UInt64
  private var weight: UInt32
  // The newest version that is certainly in the log.
  private var end: UInt64

  /// - Parameter log: The number of the log among the logs of its cell.
  init(
    in cell: Cell<Value>,
    log: UInt32,
    chunk: LogChunk<Value>,
    version: UInt64,
    weight: UInt32,
    end: UInt64
  ) {
    self.cell = cell
    self.log = log
    self.chunk = chunk
    self.version = version
    self.weight = weight
    self.end = end
  }

  /// A reader with unread updates has left, and others have not. Returns what the caller must release after the lock.
  @usableFromInline
  static func departed(
    _ position: ReadPosition<Value>,
    from chunk: LogChunk<Value>,
    of cell: Cell<Value>,
    log: UInt32,
    end: UInt64
  ) -> Evicted<Value> {
    let version = position.seen &+ 1
    let holder = chunk.holding(version)
    guard let weight = holder.departed(version, position.weight) else { return .nothing }
    let departure = LogDeparture(
      in: cell,
      log: log,
      chunk: holder,
      version: version,
      weight: weight,
      end: end
    )
    return .departure(departure)
  }

  deinit {
    while true {
      chunk.cleared(version)
      if version == end {
        guard
          let newEnd = cell.locked({ $0.departedReadersArrived(weight, after: end, log: log, $1.version) })
        else { return }
        end = newEnd
      }
      version &+= 1
      chunk = chunk.holding(version)
      guard let weight = chunk.departed(version, weight) else { return }
      self.weight = weight
    }
  }
}
