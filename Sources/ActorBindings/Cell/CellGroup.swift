/// Several cells that a thread reads or writes at one instant, while it holds all their locks.
///
/// Every thread takes these locks in the order of the cells' addresses, so threads cannot deadlock. A thread that
/// brings a cell up to date by a `Junction` takes that cell's lock first, and then the locks of the cells that the
/// junction follows.
@usableFromInline
package struct CellGroup: Sendable {
  /// The cells, each of them once, in the order in which a thread locks them.
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

  /// Creates the group of the cells that two cells show: in most cases these two cells.
  @usableFromInline
  package init(joining left: AnyCell, _ right: AnyCell) {
    if left.upstream?.sources == nil, right.upstream?.sources == nil, left !== right {
      self.init(inOrder: ObjectIdentifier(left) < ObjectIdentifier(right) ? [left, right] : [right, left])
    } else {
      self.init(left.sources + right.sources)
    }
  }

  /// Returns the place of a cell in `cells`; nil if it is not there. Takes time that grows with the logarithm of the
  /// number of cells.
  package func index(of cell: AnyCell) -> Int? {
    let id = ObjectIdentifier(cell)
    var (low, high) = (0, cells.count)
    while low < high {
      let middle = (low + high) / 2
      if ObjectIdentifier(cells[middle]) < id { low = middle + 1 } else { high = middle }
    }
    return low < cells.count && cells[low] === cell ? low : nil
  }

  private init(inOrder cells: [AnyCell]) {
    self.cells = cells
  }

  /// The sum of the watermarks, loaded one after the other, without a lock. Watermarks only rise, so the sum differs
  /// from an earlier sum if a cell was written or has ended in between.
  @usableFromInline
  package var watermarkSum: UInt64 {
    var sum: UInt64 = 0
    for cell in cells { sum &+= cell.watermark.rawValue }
    return sum
  }

  /// Performs one step under all the locks. Like the body of `Lock.withLock`, `step` must only move values about, and
  /// must run no user code.
  package func locked<Result: Sendable>(_ step: () -> Result) -> Result {
    for cell in cells { cell.lockInOrder() }
    defer { for cell in cells { cell.unlockInOrder() } }
    return step()
  }
}

// These methods are for a thread that holds the locks of several cells. Such a thread must take the locks in the order
// of the cells' addresses.
extension AnyCell {
  final func lockInOrder() {
    lock.lock()
  }

  final func unlockInOrder() {
    lock.unlock()
  }
}
