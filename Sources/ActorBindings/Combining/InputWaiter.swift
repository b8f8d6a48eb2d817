/// The waiter that stands for the readers of a junction in one of the cells that the junction follows.
final class InputWaiter: Waiter, @unchecked Sendable {
  private let source: AnyCell
  private let jointCell: AnyCell

  init(from source: AnyCell, to jointCell: AnyCell) {
    self.source = source
    self.jointCell = jointCell
  }

  override func wake() {
    jointCell.refreshParkedReaders()
  }

  /// Parks in the source, whose lock the caller holds: the next writer there wakes this input waiter.
  func parkWhileLocked() {
    source.rosterWhileLocked.inputWaiterParked(self)
  }

  /// Leaves the wait list of the source, whose lock the caller holds.
  func leaveWhileLocked() {
    _ = source.rosterWhileLocked.unparked(self)
  }
}
