/// The waiter that stands for the readers of a junction in one of the cells that the junction follows.
final class Feeder: Waiter, @unchecked Sendable {
  private let source: AnyCell
  private let target: AnyCell

  init(from source: AnyCell, to target: AnyCell) {
    self.source = source
    self.target = target
  }

  override func wake() {
    target.read(for: .refreshing) { _ in }
  }

  /// Parks in the source, so that its next writer wakes this feeder. Called under the lock of the source.
  func park() {
    unsafe source.storedRoster.parkOnce(self)
  }

  /// Leaves the wait list of the source. Called under the lock of the source.
  func leave() {
    _ = unsafe source.storedRoster.idle.remove(self)
  }
}

extension Roster {
  // After the cell has finished, no writer would wake the waiter.
  fileprivate mutating func parkOnce(_ waiter: Waiter) {
    if !isFinished, !idle.contains(waiter) { idle.append(waiter) }
  }
}
