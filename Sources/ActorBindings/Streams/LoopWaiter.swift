/// Where the task of one loop waits: the part of the loop's reader that does not depend on the type of the elements.
///
/// The task may be cancelled before it has parked. Then the cancellation handler sets `isCancelled`, and the task finds that
/// under the same lock when it parks.
// @unchecked: each variable says what guards it.
@usableFromInline
package class LoopWaiter: Waiter, @unchecked Sendable {
  /// What the loop has done recently.
  @usableFromInline
  package struct Pace: Sendable {
    /// True while a call of `next` is under way.
    @usableFromInline var isAdvancing = false
    /// The number of updates that the reader has examined since the task last waited, both those whose element the loop has
    /// received and those that an operator rejected. It does not count beyond two.
    @usableFromInline var burst: UInt8 = 0
    /// The number of updates that the reader has examined since other tasks had a turn.
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

  // Only the task accesses this, once at a time: `isAdvancing` ensures that.
  @exclusivity(unchecked) @usableFromInline final var storedPace = Pace()

  // Guarded by the cell's lock. Once a thread has taken this waiter out of the list, only that thread accesses this.
  private final var resumption: Resumption?

  /// Continues the count of the readers that were made before on the same thread: code may make a reader for each element,
  /// as a loop that calls `first(where:)` does.
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

  // The problem: three threads may meet here. The task wants to suspend, a writer to wake it, and another thread to
  // cancel it; and the runtime may run the cancellation handler before the task has stored its continuation. The task
  // must be resumed once: never twice, and never not at all.
  //
  // A flag that the handler sets and the task reads before it suspends leaves a gap between the two. An atomic state
  // with the continuation in it closes the gap, but then the waiter is parked in the cell by one step and in its own
  // state by another, and a writer may find it in between. So all three take the cell's lock. The thread
  // that takes the waiter out of the list resumes the task: a writer, or the cancellation handler. A handler that comes
  // too early finds it in no list, and sets `isCancelled`, which the task finds in the step in which it would park.

  /// Waits until there is something to see for a reader that has seen `version`, or until the task is cancelled.
  @usableFromInline
  nonisolated(nonsending) final func park(in cell: AnyCell, after version: UInt64) async {
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

  // Returns false if there is something to see, or the task was cancelled before it came here.
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
