internal import Synchronization

/// A waiter for the end of a cell. Updates of the cell do not wake it.
// @unchecked: it adds only a constant to `Waiter`.
package final class Attendant: Waiter, @unchecked Sendable {
  private let cellEnded: @Sendable () -> Void

  /// - Parameter cellEnded: Called once, on the thread that ends the cell, and never under a lock.
  package init(cellEnded: @escaping @Sendable () -> Void) {
    self.cellEnded = cellEnded
  }

  package override func wake() {
    cellEnded()
  }
}

/// A waiter for the ends of several cells, from `attend` until `leave`.
@usableFromInline
final class EndWatch: Sendable {
  private enum Status {
    static let idle: UInt8 = 0
    static let attending: UInt8 = 1
    static let left: UInt8 = 2
  }

  private let ends: [(cell: AnyCell, attendant: Attendant)]
  private let status = Atomic(Status.idle)

  /// - Parameter cellEnded: Called once for each cell that has ended before `attend` or ends before `leave`, and never
  ///   under a lock.
  @usableFromInline
  init(of cells: [AnyCell], cellEnded: @escaping @Sendable () -> Void) {
    ends = cells.map { ($0, Attendant(cellEnded: cellEnded)) }
  }

  /// Begins to wait. Only the first call has an effect, and only before `leave`.
  @usableFromInline
  func attend() {
    let began = status.compareExchange(
      expected: Status.idle,
      desired: Status.attending,
      ordering: .sequentiallyConsistent
    ).exchanged
    guard began else { return }
    for (cell, attendant) in ends where !cell.locked({ $0.attended(by: attendant) }) { attendant.wake() }
    // Another thread has called `leave` meanwhile, perhaps for a cell that this loop had not reached yet.
    if status.load(ordering: .sequentiallyConsistent) == Status.left { leaveCells() }
  }

  /// Ends the wait. Any thread may call this, any number of times.
  @usableFromInline
  func leave() {
    status.store(Status.left, ordering: .sequentiallyConsistent)
    leaveCells()
  }

  private func leaveCells() {
    for (cell, attendant) in ends { _ = cell.locked { $0.left(by: attendant) } }
  }
}
