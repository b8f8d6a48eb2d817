/// Somebody who waits for the end of a cell alone: updates do not look at him.
// @unchecked: what it adds to `Waiter` is constant.
package final class Attendant: Waiter, @unchecked Sendable {
  private let cellEnded: @Sendable () -> Void

  /// - Parameter cellEnded: Is called once, by whoever ends the cell, and never under a lock.
  package init(cellEnded: @escaping @Sendable () -> Void) {
    self.cellEnded = cellEnded
  }

  package override func wake() {
    cellEnded()
  }
}
