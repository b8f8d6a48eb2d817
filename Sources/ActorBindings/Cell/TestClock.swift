/// A clock that stands still until a test advances it.
///
/// The clock tells the record of a task when the task begins to wait, and when it wakes the task.
package protocol TestClock: Clock {
  /// The clock is used for the values of `cell`.
  func isUsed(by cell: AnyCell)
}

extension Clock {
  /// Tells a clock of a test which cell uses it.
  package func willBeUsed(by cell: AnyCell) {
    guard TestKit.isPresent else { return }
    (self as? any TestClock)?.isUsed(by: cell)
  }

  /// Calls `sleep`, which sleeps by this clock. A task that waits for time is not busy.
  ///
  /// A clock of a test says so itself: its waits end before the task runs again.
  nonisolated(nonsending) package func sleeping<Result, Failure: Error>(
    _ sleep: () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    guard let task = CellTask.ofCaller, !(self is any TestClock) else {
      return try await sleep()
    }
    task.waitBegan()
    defer { task.waitEnded() }
    return try await sleep()
  }
}
