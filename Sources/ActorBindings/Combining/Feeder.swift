/// Stands for a junction's readers in one of the cells that are followed.
final class Feeder: Waiter, @unchecked Sendable {
  private let source: AnyCell
  private let target: AnyCell

  init(from source: AnyCell, to target: AnyCell) {
    self.source = source
    self.target = target
  }

  override func wake() {
    target.locked(for: .feeding) { _ in }
  }

  /// Under the lock of the source: its next writer wakes this.
  func park() {
    unsafe source.storedRoster.parkOnce(self)
  }

  /// Under the lock of the source.
  func leave() {
    _ = unsafe source.storedRoster.idle.remove(self)
  }
}

extension Roster {
  // Nobody is left to wake it once the cell has finished.
  fileprivate mutating func parkOnce(_ waiter: Waiter) {
    if !isFinished, !idle.contains(waiter) { idle.append(waiter) }
  }
}
