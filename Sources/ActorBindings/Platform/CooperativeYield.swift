/// Lets other tasks run in a loop of calls that never suspend.
///
/// An `async` function that finds nothing to wait for returns without suspending. A task that repeats such a call keeps its
/// thread, and on a pool of one thread no other task runs. So whatever may go on without suspending counts its steps, and
/// yields when they are many.
///
/// A loop over a stream or a sequence has a counter of its own. What has no place for a counter, because it is new each
/// time, counts on its thread.
@usableFromInline
package enum CooperativeYield: Sendable {
  /// The number of steps since other tasks had a turn.
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

  // The number of steps that the calls on this thread have counted since one of them had to yield.
  private static let stepsOnThread = ThreadLocalWord()

  /// Counts one step on this thread. Returns the steps before it: if a turn of other tasks is due, the caller sees to it.
  ///
  /// A schedule that the explorer runs must not depend on what a thread did before, so then this counts nothing.
  package static func steppedOnThread() -> Counter {
    if SchedulePoint.isExploring { return Counter() }
    let counter = Counter(steps: UInt16(stepsOnThread.value))
    stepsOnThread.value = counter.isDue ? 0 : UInt(counter.steps + 1)
    return counter
  }

  /// Counts a call that returns without having suspended. After many such calls, yields.
  nonisolated(nonsending) static func callDidNotSuspend() async {
    if steppedOnThread().isDue { await Task.yield() }
  }
}
