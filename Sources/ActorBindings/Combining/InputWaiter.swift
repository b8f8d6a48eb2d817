/// The waiter that parks in a cell that a junction follows, for the readers of the joint cell.
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

  /// Parks in the source, whose lock the caller holds: the next writer of the source wakes this input waiter.
  func parkWhileLocked() {
    source.rosterWhileLocked.inputWaiterParked(self)
  }

  /// Leaves the wait list of the source, whose lock the caller holds.
  func leaveWhileLocked() {
    _ = source.rosterWhileLocked.unparked(self)
  }
}
