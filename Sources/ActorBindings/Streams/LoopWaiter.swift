/// Where the task of one loop waits: the part of its reader that does not depend on what is read.
///
/// A cancellation may come before the task has parked. It leaves `isCancelled` behind, which parking finds under the
/// same lock.
// @unchecked: each variable says what guards it.
@usableFromInline
package class LoopWaiter: Waiter, @unchecked Sendable {
  /// What the loop has done of late.
  @usableFromInline
  package struct Pace: Sendable {
    /// It is being asked for an element.
    @usableFromInline var isAdvancing = false
    /// Elements since the task last waited for one. More than two are two.
    @usableFromInline var burst: UInt8 = 0
    /// Elements since others had a turn.
    @usableFromInline var streak: UInt16 = 0

    /// After so many elements others get a turn.
    @inlinable static var longestStreak: UInt16 { 256 }

    @inlinable
    mutating func advanced() {
      if burst < 2 { burst += 1 }
      streak += 1
    }
  }

  // What is small comes first: there may be very many of these.

  // Guarded by the cell's lock.
  private final var isCancelled = false

  // The task's own: one access at a time, as `isAdvancing` sees to.
  @exclusivity(unchecked) @usableFromInline final var storedPace = Pace()

  // How many readers were made on a thread since others had a turn there.
  private static let newReaders = ThreadWord()

  /// A loop may make a reader for each element, as `first(where:)` does: so a reader goes on with the streak of those that
  /// were made before it on the same thread.
  @usableFromInline
  package override init() {
    super.init()
    // Schedules that are explored must not depend on what a thread did before.
    if SchedulePoint.isExploring { return }
    let streak = UInt16(Self.newReaders.value)
    unsafe storedPace.streak = streak
    Self.newReaders.value = streak < Pace.longestStreak ? UInt(streak + 1) : 0
  }

  // Guarded by the cell's lock; once this waiter was taken out of the list, its taker's own.
  private final var resumption: Resumption?

  @inlinable
  final var pace: Pace {
    _read { yield unsafe storedPace }
    _modify { yield unsafe &storedPace }
  }

  /// Returns when there is something to see for who has seen `version`, or the task is cancelled.
  @usableFromInline
  nonisolated(nonsending) final func park(in cell: AnyCell, after version: UInt64) async {
    await withTaskCancellationHandler {
      await Resumption.suspend { resumption in
        cell.locked(for: .looking) { roster in
          guard !isCancelled, roster.isIdle(at: version) else { return false }
          self.resumption = resumption
          roster.idle.append(self)
          return true
        }
      }
    } onCancel: {
      SchedulePoint.insideRuntime {
        let wasParked = cell.locked { roster in
          isCancelled = true
          return roster.idle.remove(self)
        }
        if wasParked { wake() }
      }
    }
  }

  package final override func wake() {
    resumption.take()?.resume()
  }
}
