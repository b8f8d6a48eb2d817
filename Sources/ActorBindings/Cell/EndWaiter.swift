internal import Synchronization

/// A waiter for the end of a cell. Updates of the cell do not wake it.
// @unchecked: this class adds only a constant to `Waiter`.
package final class EndWaiter: Waiter, @unchecked Sendable {
  private let cellEnded: @Sendable () -> Void

  /// - Parameter cellEnded: Called once, on the thread that wakes this waiter, and never under a lock. That thread is
  ///   the thread that ends the cell, unless the cell has ended before.
  package init(cellEnded: @escaping @Sendable () -> Void) {
    self.cellEnded = cellEnded
  }

  package override func wake() {
    cellEnded()
  }
}

/// A waiter for the ends of several cells, from `start` until `stop`.
@usableFromInline
package final class EndWaiterGroup: Sendable {
  private enum Status {
    static let idle: UInt8 = 0
    static let waiting: UInt8 = 1
    static let stopped: UInt8 = 2
  }

  private let ends: [(cell: AnyCell, endWaiter: EndWaiter)]
  private let status = Atomic(Status.idle)

  /// - Parameter cellEnded: Called once for each cell that has ended before `start` or ends before `stop`, and never
  ///   under a lock.
  @usableFromInline
  package init(of cells: [AnyCell], cellEnded: @escaping @Sendable () -> Void) {
    ends = cells.map { ($0, EndWaiter(cellEnded: cellEnded)) }
  }

  /// Begins to wait. Only the first call has an effect. After `stop`, no call has an effect.
  @usableFromInline
  package func start() {
    let began = status.compareExchange(
      expected: Status.idle,
      desired: Status.waiting,
      ordering: .sequentiallyConsistent
    ).exchanged
    guard began else { return }
    for (cell, endWaiter) in ends where !cell.joinEnd(endWaiter) { endWaiter.wake() }
    // Another thread may have called `stop` meanwhile. That thread could not leave a cell that this loop had not joined
    // yet.
    if status.load(ordering: .sequentiallyConsistent) == Status.stopped { leaveCells() }
  }

  /// Ends the wait. Any thread may call this, any number of times.
  @usableFromInline
  package func stop() {
    status.store(Status.stopped, ordering: .sequentiallyConsistent)
    leaveCells()
  }

  private func leaveCells() {
    for (cell, endWaiter) in ends { cell.leaveEnd(endWaiter) }
  }
}
