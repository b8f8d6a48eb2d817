/// The reader behind one iterator: its cursor, and where its task waits.
///
/// ### States
/// - *reading*: the task runs; the cursor is its own.
/// - *parked*: everything was seen; the task waits in the cell's `WaitList`.
/// - *ended*: by the cell's end, by cancellation, or because the iterator went. It has no place any more.
// @unchecked: each variable says what guards it.
@usableFromInline
final class StreamReader<Cursor: BindingCursor>: LoopWaiter, @unchecked Sendable {
  /// What the task alone uses.
  @usableFromInline
  struct Progress: Sendable {
    @usableFromInline var cursor: Cursor
    @usableFromInline var isAdvancing = false
    /// Elements since others had a turn.
    @usableFromInline var streak: UInt32 = 0
    /// Elements since the task last waited for one.
    @usableFromInline var burst: UInt32 = 0

    @inlinable
    init(_ cursor: Cursor) {
      self.cursor = cursor
    }
  }

  // The task's own: one access at a time, as `isAdvancing` sees to.
  @exclusivity(unchecked) @usableFromInline var storedProgress: Progress

  @inlinable
  final var progress: Progress {
    _read { yield unsafe storedProgress }
    _modify { yield unsafe &storedProgress }
  }

  /// After so many elements others get a turn.
  @inlinable static var longestStreak: UInt32 { 256 }

  @inlinable
  init(_ cursor: Cursor) {
    unsafe storedProgress = Progress(cursor)
  }

  @inlinable
  deinit {
    leave()
  }

  @inlinable var cell: Cell<Cursor.Origin> { progress.cursor.root.cell }

  @inlinable
  final var hasEnded: Bool { !progress.cursor.root.place.isTaken }

  /// Gives the place up. The cell is asked for nothing after that.
  @inlinable
  func leave() {
    guard !hasEnded else { return }
    let spill = cell.locked { state, roster in
      roster.readers -= 1
      return state.left(&progress.cursor.root.place, at: roster.version)
    }
    // After the lock: what only this reader still held.
    progress.cursor.root.place.node = nil
    _ = consume spill
  }

  /// What the task does next.
  @usableFromInline
  enum Step: Sendable {
    case element(Cursor.Element)
    /// Others deserve a turn.
    case yield
    /// Everything was seen.
    case park(after: UInt64)
    case end
  }

  @inlinable
  func advance() -> Step {
    while !hasEnded, !Task.isCancelled {
      if progress.streak >= Self.longestStreak {
        progress.streak = 0
        return .yield
      }
      switch progress.cursor.next(in: nil) {
      case .element(let element, _):
        progress.streak += 1
        progress.burst &+= 1
        return .element(element)
      case .rejected:
        progress.streak += 1
        progress.burst &+= 1
      case .idle:
        let seen = progress.cursor.root.place.seen
        // Who wants the newest value alone would take the lock for each that it finds, and be in the writer's way.
        if progress.burst > 1, progress.cursor.root.place.depth > 1, cell.lingers(after: seen) { continue }
        // It may not suspend there: a writer may get in before the task has parked. So the streak goes on.
        progress.burst = 0
        return .park(after: seen)
      case .finished:
        leave()
      }
    }
    leave()
    return .end
  }
}
