/// The part of a loop's reader that does not depend on the type of the elements. It suspends and resumes the loop's
/// task.
///
/// The task may be cancelled before it has parked. Then the cancellation handler sets `isCancelled` under the cell's
/// lock. The task checks `isCancelled` under the same lock when it is about to park.
// @unchecked: each variable says what guards it.
@usableFromInline
package class LoopWaiter: Waiter, @unchecked Sendable {
  /// What the loop has done recently.
  @usableFromInline
  package struct Pace: Sendable {
    /// True while a call of `next` is under way.
    @usableFromInline var isAdvancing = false
    /// Whether diagnostics have a record of the reader.
    @usableFromInline var isRecorded = false
    /// The number of updates that the reader has examined since the task last waited, counted only up to two. This
    /// number includes the updates that an operator rejected.
    @usableFromInline var burst: UInt8 = 0
    /// The number of updates that the reader has examined since other tasks last had a turn.
    @usableFromInline var streak = CooperativeYield.Counter()

    @inlinable
    mutating func advanced() {
      if burst < 2 { burst += 1 }
      streak.stepped()
    }
  }

  // Small variables come first to save memory, because there may be very many of these objects.

  // Guarded by the cell's lock.
  private final var isCancelled = false

  // Only the task accesses this, in one call of `next` at a time: `isAdvancing` ensures that.
  @exclusivity(unchecked) @usableFromInline final var storedPace = Pace()

  // Guarded by the cell's lock. Once a thread has taken this waiter out of the list, only that thread accesses this.
  private final var resumption: Resumption?

  /// Creates a waiter that continues the count of steps on this thread. So the count also works for code that creates a
  /// reader for each element, such as a loop that calls `first(where:)`.
  @usableFromInline
  package override init() {
    super.init()
    unsafe storedPace.streak = CooperativeYield.steppedOnThread()
  }

  @inlinable
  final var pace: Pace {
    _read { yield unsafe storedPace }
    _modify { yield unsafe &storedPace }
  }

  // The problem: three threads may meet here. The task wants to suspend, a writer wants to wake it, and another thread
  // wants to cancel it. The runtime may even run the cancellation handler before the task has stored its continuation.
  // The task must be resumed exactly once.
  //
  // A flag that the handler sets leaves a gap: the task may read the flag just before the handler sets it, and then
  // suspend. An atomic state that contains the continuation closes this gap. But then the waiter parks in two steps,
  // one in the cell and one in its own state, and a writer may come between them. So all three threads take the cell's
  // lock. The thread that takes the waiter out of the list resumes the task: either a writer or the cancellation
  // handler. If the handler comes too early, it finds the waiter in no list, and sets `isCancelled`. The task finds
  // that flag in the step in which it would park.

  /// Waits until the cell has something new for a reader that has seen `version`. Cancelling the task ends the wait.
  @usableFromInline
  nonisolated(nonsending) final func park(in cell: AnyCell, after version: UInt64) async {
    if pace.isRecorded { noteProgress(version) }
    await withTaskCancellationHandler {
      await Resumption.suspend { resumption in
        cell.read(for: .reading) { parkWhileLocked(resumption, after: version, &$0) }
      }
    } onCancel: {
      SchedulePoint.insideRuntime {
        let wasParked = cell.locked { cancelWhileLocked(&$0) }
        if wasParked { wake() }
      }
    }
  }

  /// Resumes the task if it waits in `park`, and lets it wait no more. Any thread may call this.
  final func endWait(in cell: AnyCell) {
    let wasParked = cell.locked { cancelWhileLocked(&$0) }
    if wasParked { wake() }
  }

  // Returns false if the cell has something new for the reader, or if the task was cancelled before this step.
  private final func parkWhileLocked(
    _ resumption: Resumption,
    after version: UInt64,
    _ roster: inout Roster
  ) -> Bool {
    guard !isCancelled, roster.isIdle(at: version) else { return false }
    self.resumption = resumption
    roster.parked(self)
    return true
  }

  // Returns whether the caller must wake this waiter. If not, the task has not parked yet, or a writer wakes it.
  private final func cancelWhileLocked(_ roster: inout Roster) -> Bool {
    isCancelled = true
    return roster.unparked(self)
  }

  package final override func wake() {
    resumption.take()?.resume()
  }
}
