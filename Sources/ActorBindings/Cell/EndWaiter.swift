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
