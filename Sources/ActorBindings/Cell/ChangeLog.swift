/// What each update of a cell has changed, for readers that need not see the whole value.
///
/// Each writer enters its update under the lock, so the updates are in the order of their versions. After the lock the
/// writer wakes the waiters that the update concerns, together with the parked readers of the cell. A change log need
/// not hold a copy of the value. So a writer can change one entry of a big value in place. The change log is itself a
/// waiter for the end of the cell.
@usableFromInline
package class ChangeLog<Value: Sendable>: Waiter, @unchecked Sendable {
  // A stored function and not a method, because Swift does not specialize a method of a generic class if the call goes
  // through the method table.
  private let record: @Sendable (ChangeLog, _ new: Value, _ old: Value, _ version: UInt64) -> Void

  // The waiters to wake for the update that a writer is entering. Guarded by the lock of the cell.
  @exclusivity(unchecked) @usableFromInline final var storedDue = Woken(first: nil)
  // The instant of the update that a writer is entering. Guarded by the lock of the cell.
  @exclusivity(unchecked) @usableFromInline final var storedInstant = LogicalInstant.unordered

  /// - Parameter record: Notes that `new` took the place of `old`. Called under the lock.
  @usableFromInline
  package init(record: @escaping @Sendable (ChangeLog, _ new: Value, _ old: Value, _ version: UInt64) -> Void)
  {
    self.record = record
  }

  /// A writer is about to enter an update of this instant.
  @inlinable
  final func willEnterWhileLocked(at instant: LogicalInstant) {
    unsafe storedInstant = instant
  }

  /// Notes that `new` took the place of `old`.
  @usableFromInline
  final func enterWhileLocked(_ new: Value, after old: Value, _ version: UInt64, at instant: LogicalInstant) {
    willEnterWhileLocked(at: instant)
    record(self, new, old, version)
  }

  /// Takes out the waiters to wake for the update that was entered last.
  @inlinable
  final func takeDueWhileLocked() -> Woken {
    defer { unsafe storedDue = Woken(first: nil) }
    return unsafe storedDue
  }
}
