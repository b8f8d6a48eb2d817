/// What each update of a cell has changed, for readers that want to know no more than that.
///
/// A writer enters its update under the lock, in the order of the versions, and wakes after the lock what the update
/// concerns: with the readers of the cell that are parked. A ledger need not hold the value: so a writer of single entries
/// of a big value can change it in place. It waits for the end of the cell like any other waiter.
@usableFromInline
package class Ledger<Value: Sendable>: Waiter, @unchecked Sendable {
  // A stored function, because a method that is found through a generic class's table is not specialized.
  private let enter: @Sendable (Ledger, _ new: Value, _ old: Value, _ version: UInt64) -> Void

  // Guarded by the lock of the cell: what the update that is being entered wakes.
  @exclusivity(unchecked) @usableFromInline final var storedDue = Woken(first: nil)

  /// - Parameter enter: Notes that a value took the place of another one. Under the lock.
  @usableFromInline
  package init(enter: @escaping @Sendable (Ledger, _ new: Value, _ old: Value, _ version: UInt64) -> Void) {
    self.enter = enter
  }

  /// Notes that `new` took the place of `old`. Under the lock.
  @usableFromInline
  final func enter(_ new: Value, after old: Value, _ version: UInt64) {
    enter(self, new, old, version)
  }

  /// What the update that was entered last wakes. Under the lock.
  @inlinable
  final func takeDue() -> Woken {
    defer { unsafe storedDue = Woken(first: nil) }
    return unsafe storedDue
  }
}
