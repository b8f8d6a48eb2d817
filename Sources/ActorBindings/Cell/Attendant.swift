internal import Synchronization

/// Waits for the end of a cell: its updates do not wake it.
// @unchecked: what it adds to `Waiter` is constant.
package final class Attendant: Waiter, @unchecked Sendable {
  private let cellEnded: @Sendable () -> Void

  /// - Parameter cellEnded: Is called once, on the thread that ends the cell, and never under a lock.
  package init(cellEnded: @escaping @Sendable () -> Void) {
    self.cellEnded = cellEnded
  }

  package override func wake() {
    cellEnded()
  }
}

/// Waits for the ends of several cells, from `attend` until `leave`.
@usableFromInline
final class EndWatch: Sendable {
  private enum Status {
    static let idle: UInt8 = 0
    static let attending: UInt8 = 1
    static let left: UInt8 = 2
  }

  private let ends: [(cell: AnyCell, attendant: Attendant)]
  private let status = Atomic(Status.idle)

  /// - Parameter cellEnded: Is called once for each of the cells that ends meanwhile or has ended before, and never under a
  ///   lock.
  @usableFromInline
  init(of cells: [AnyCell], cellEnded: @escaping @Sendable () -> Void) {
    ends = cells.map { ($0, Attendant(cellEnded: cellEnded)) }
  }

  /// The first call begins it; others do nothing, and so does one after `leave`.
  @usableFromInline
  func attend() {
    let began = status.compareExchange(
      expected: Status.idle,
      desired: Status.attending,
      ordering: .sequentiallyConsistent
    ).exchanged
    guard began else { return }
    for (cell, attendant) in ends where !cell.locked({ $0.attended(by: attendant) }) { attendant.wake() }
    // `leave` was called meanwhile, and may have come to a cell before this did.
    if status.load(ordering: .sequentiallyConsistent) == Status.left { leaveCells() }
  }

  /// From anywhere, any number of times.
  @usableFromInline
  func leave() {
    status.store(Status.left, ordering: .sequentiallyConsistent)
    leaveCells()
  }

  private func leaveCells() {
    for (cell, attendant) in ends { _ = cell.locked { $0.left(by: attendant) } }
  }
}
