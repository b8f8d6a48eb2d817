/// Several cells that are looked at, or written, at one instant: under all their locks.
///
/// Everybody locks them in the same order, that of their addresses, so nobody waits for somebody who waits for him.
/// The lock of a cell that is brought up to date by a `Junction` comes before those of the cells that it follows.
@usableFromInline
package struct CellGroup: Sendable {
  /// Each once, in the order in which they are locked.
  package let cells: [AnyCell]

  @usableFromInline
  package init(_ cells: some Sequence<AnyCell>) {
    var unique: [AnyCell] = []
    for cell in cells.sorted(by: { ObjectIdentifier($0) < ObjectIdentifier($1) })
    where unique.last !== cell {
      unique.append(cell)
    }
    self.cells = unique
  }

  /// One step under all the locks. What is said of `Lock.withLock` holds for it.
  package func locked<Result: Sendable>(_ step: () -> Result) -> Result {
    for cell in cells { cell.lock.lock() }
    defer { for cell in cells { cell.lock.unlock() } }
    return step()
  }
}
