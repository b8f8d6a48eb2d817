/// What each update of a cell has changed, for somebody who wants to know no more than that.
///
/// Whoever writes enters it under the lock, in the order of the versions, and wakes the ledger after it, as any other who is
/// parked. A ledger need not hold the value: so who writes single entries of a big one can do so in place.
@usableFromInline
package class Ledger<Value: Sendable>: Waiter, @unchecked Sendable {
  // Stored functions, because a method that is found through a generic class's table is not specialized.
  private let enter: @Sendable (Ledger, _ new: Value, _ old: Value, _ version: UInt64) -> Void
  private let read: @Sendable (Ledger) -> Void

  /// - Parameters:
  ///   - enter: Notes that one value took the place of another one. Under the lock.
  ///   - read: Does what it is for with what was entered. Never under a lock.
  @usableFromInline
  package init(
    enter: @escaping @Sendable (Ledger, _ new: Value, _ old: Value, _ version: UInt64) -> Void,
    read: @escaping @Sendable (Ledger) -> Void
  ) {
    self.enter = enter
    self.read = read
  }

  /// Under the lock.
  @usableFromInline
  final func enter(_ new: Value, after old: Value, _ version: UInt64) {
    enter(self, new, old, version)
  }

  package final override func wake() {
    read(self)
  }
}
