/// Where the task of one loop waits: the part of its reader that does not depend on what is read.
///
/// A cancellation may come before the task has parked. It leaves `isCancelled` behind, which parking finds under the
/// same lock.
// @unchecked: each variable says what guards it.
@usableFromInline
package class LoopWaiter: Waiter, @unchecked Sendable {
  // Guarded by the cell's lock.
  private final var isCancelled = false
  // Guarded by the cell's lock; once this waiter was taken out of the list, its taker's own.
  private final var resumption: Resumption?

  /// Returns when there is something to see for who has seen `version`, or the task is cancelled.
  @usableFromInline
  nonisolated(nonsending) final func park(in cell: AnyCell, after version: UInt64) async {
    await withTaskCancellationHandler {
      await Resumption.suspend { resumption in
        cell.locked { roster in
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
