/// The reader behind one iterator: its cursor, and where its task waits.
///
/// ### States
/// - *reading*: the task runs; the cursor is its own.
/// - *parked*: everything was seen; the task waits in the cell's `WaitList`.
/// - *ended*: by the cell's end, by cancellation, or because the iterator went. It has no place any more.
///
/// A cancellation may come before the task has parked. It leaves `isCancelled` behind, which parking finds
/// under the same lock.
// @unchecked: each variable says what guards it.
@usableFromInline
final class StreamReader<Cursor: BindingCursor>: Waiter, @unchecked Sendable {
  // The task's own.
  @usableFromInline var cursor: Cursor
  @usableFromInline var isAdvancing = false
  @usableFromInline var streak = 0

  // Guarded by the cell's lock; once this waiter was taken out of the list, its taker's own.
  private var resumption: Resumption?
  // Guarded by the cell's lock.
  private var isCancelled = false

  /// After so many elements others get a turn.
  @inlinable static var longestStreak: Int { 256 }

  @usableFromInline
  init(_ cursor: Cursor) {
    self.cursor = cursor
  }

  deinit {
    leave()
  }

  private var cell: Cell<Cursor.Origin> { cursor.root.cell }

  @usableFromInline
  final var hasEnded: Bool { !cursor.root.place.isTaken }

  /// Gives the place up. The cell is asked for nothing after that.
  @usableFromInline
  func leave() {
    guard !hasEnded else { return }
    let spill = cell.locked { state, roster in
      roster.readers -= 1
      return state.left(&cursor.root.place, roster)
    }
    // After the lock: what only this reader still held.
    cursor.root.place.node = nil
    _ = consume spill
  }

  /// Returns when there is something to see, or the task is cancelled.
  @usableFromInline
  func park(isolation: isolated (any Actor)?) async {
    await withTaskCancellationHandler {
      await Resumption.suspend { resumption in
        cell.locked { roster in
          guard !isCancelled, roster.isIdle(at: cursor.root.place.seen) else { return false }
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

  override func wake() {
    resumption.take()?.resume()
  }
}
