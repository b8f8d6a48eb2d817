/// Lets other tasks run in a loop of calls that never suspend.
///
/// An `async` function that finds nothing to wait for returns without suspending. A task that repeats such a call keeps its
/// thread, and on a pool of one thread no other task runs.
enum CooperativeYield {
  // The number of calls for which a thread yields once.
  private static let interval: UInt = 256

  // The number of calls since the last call that has yielded.
  private static let calls = ThreadWord()

  /// Counts a call that returns without having suspended. After many such calls, yields.
  nonisolated(nonsending) static func callDidNotSuspend() async {
    // A schedule that the explorer runs must not depend on what a thread did before.
    if SchedulePoint.isExploring { return }
    let count = calls.value + 1
    calls.value = count % interval
    if count == interval { await Task.yield() }
  }
}
