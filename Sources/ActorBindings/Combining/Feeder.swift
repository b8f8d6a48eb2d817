/// The waiter that stands for the readers of a junction in one of the cells that the junction follows.
final class Feeder: Waiter, @unchecked Sendable {
  private let source: AnyCell
  private let target: AnyCell

  init(from source: AnyCell, to target: AnyCell) {
    self.source = source
    self.target = target
  }

  override func wake() {
    target.refreshParkedReaders()
  }

  /// Parks in the source, whose lock the caller holds: the next writer there wakes this feeder.
  func parkWhileLocked() {
    source.rosterWhileLocked.feederParked(self)
  }

  /// Leaves the wait list of the source, whose lock the caller holds.
  func leaveWhileLocked() {
    _ = source.rosterWhileLocked.unparked(self)
  }
}
