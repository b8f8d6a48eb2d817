/// Lets other tasks run in a loop of calls that never suspend.
///
/// An `async` function that finds nothing to wait for returns without suspending. A task that repeats such a call keeps its
/// thread, and on a pool of one thread no other task runs.
enum CooperativeYield {
  // Each thread yields once for this number of calls.
  private static let interval: UInt = 256

  // The number of calls since the last one that has yielded.
  private static let calls = ThreadWord()

  /// Counts a call that returns without having suspended, and yields for one of many.
  nonisolated(nonsending) static func callDidNotSuspend() async {
    // Schedules that are explored must not depend on what a thread did before.
    if SchedulePoint.isExploring { return }
    let count = calls.value + 1
    calls.value = count % interval
    if count == interval { await Task.yield() }
  }
}
