/// Lets other tasks run although a task repeats calls that never suspend.
///
/// If an `async` function finds nothing to wait for, it returns without suspending. A task that repeats such a call
/// keeps its thread, and on a pool of one thread no other task runs. So code that may continue for long without
/// suspending counts its steps, and yields after many of them.
///
/// A loop over a stream or a sequence has its own counter. A call, or a reader that is created for one element, has no
/// place to keep a counter, so it uses the counter of its thread.
@usableFromInline
package enum CooperativeYield: Sendable {
  /// The number of steps since other tasks last had a turn.
  @usableFromInline
  package struct Counter: Sendable {
    // Two bytes, because there may be very many readers.
    @usableFromInline var steps: UInt16

    /// The number of steps after which other tasks get a turn.
    @inlinable package static var limit: UInt16 { 256 }

    @inlinable
    package init(steps: UInt16 = 0) {
      self.steps = steps
    }

    /// Whether other tasks should get a turn before the next step.
    @inlinable package var isDue: Bool { steps >= Self.limit }

    @inlinable
    package mutating func stepped() {
      steps += 1
    }

    @inlinable
    package mutating func yielded() {
      steps = 0
    }
  }

  // The number of steps that calls have counted on this thread since one of these calls last had to yield.
  private static var stepsOnThread: ThreadLocalWord { .uncountedSteps }

  /// Counts one step on this thread. Returns the counter as it was before this step: if that counter is due, the caller
  /// must yield.
  ///
  /// Counts nothing while the explorer runs, because a schedule must not depend on what its threads did before.
  package static func steppedOnThread() -> Counter {
    if SchedulePoint.isExploring { return Counter() }
    let counter = Counter(steps: UInt16(stepsOnThread.value))
    stepsOnThread.value = counter.isDue ? 0 : UInt(counter.steps + 1)
    return counter
  }

  /// Counts a call that returns without having suspended. After many such calls, yields.
  nonisolated(nonsending) package static func callDidNotSuspend() async {
    if steppedOnThread().isDue { await Task.yield() }
  }
}
