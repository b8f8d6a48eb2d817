/// The waiter that parks in a cell that a junction follows, for the readers of the joint cell.
// @unchecked: the lock of the joint cell guards the variables.
@usableFromInline
@safe
package final class InputWaiter: Waiter, @unchecked Sendable {
  @usableFromInline let source: AnyCell
  private let jointCell: AnyCell
  // The junction of the joint cell, which holds it. Unmanaged, because a write must not count references.
  private let junction: Unmanaged<AnyJunction>
  /// The watermark of the source that the last look found.
  private(set) var found = Watermark(version: 0, isFinished: false)
  /// Whether the junction has been detached since it made this input waiter.
  private(set) var hasLeft = false

  init(from source: AnyCell, to jointCell: AnyCell, of junction: AnyJunction) {
    self.source = source
    self.jointCell = jointCell
    unsafe self.junction = unsafe .passUnretained(junction)
  }

  package override func wake() {
    unsafe junction._withUnsafeGuaranteedRef { $0.sourceWritten(self, jointCell) }
  }

  /// Parks in the source, whose lock the caller holds: the next writer of the source wakes this input waiter.
  func parkWhileLocked() {
    found = source.rosterWhileLocked.watermark
    source.rosterWhileLocked.inputWaiterParked(self)
  }

  /// Leaves the wait list of the source, whose lock the caller holds.
  func leaveWhileLocked() {
    hasLeft = true
    _ = source.rosterWhileLocked.unparked(self)
  }
}
