/// What delivers the updates of a cell: a lane, or the reader of a relay. The cell's roster holds the deliverer while
/// the deliverer serves readers of the cell.
@usableFromInline
package class Deliverer: Waiter, @unchecked Sendable {
  /// Notes that a task waits until the deliverer has handled everything that was published so far. Returns false if the
  /// task has nothing to wait for here.
  func settledCallJoinedWhileLocked(_ call: SettledCall, _ roster: Roster) -> Bool {
    preconditionFailure("\(type(of: self)) does not say when it has settled")
  }

  /// The cell to which the deliverer carries what it reads; nil if it calls handlers.
  package var fedCell: AnyCell? { nil }

  /// What the cell keeps because the deliverer has not carried it on yet. Nil if the deliverer calls handlers, or needs
  /// only the newest updates.
  package func unreadWhileLocked(_ roster: Roster) -> KeptUpdates? { nil }

  /// Makes the deliverer look for dead owners soon. Never called under a lock.
  func sweep(in cell: AnyCell) {
    preconditionFailure("\(type(of: self)) does not say where dead owners are looked for")
  }
}

extension DelivererTable {
  /// The deliverers of the cell: its lanes, and the readers of relays that read the cell.
  package var deliverers: [Deliverer] {
    all.map { unsafe unsafeDowncast($0, to: Deliverer.self) }
  }
}

extension Roster {
  /// The deliverers of the cell.
  package var deliverers: [Deliverer] { delivererTable.deliverers }
}
