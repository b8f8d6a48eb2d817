/// The reader behind one iterator: its cursor, and where its task waits.
///
/// ### States
/// - *reading*: the task runs; the cursor is its own.
/// - *parked*: everything was seen; the task waits in the cell's `WaitList`.
/// - *ended*: by the cell's end, by cancellation, or because the iterator went. It has no place any more.
// @unchecked: each variable says what guards it.
@usableFromInline
final class StreamReader<Cursor: BindingCursor>: LoopWaiter, @unchecked Sendable {
  // The task's own, as `pace` is.
  @exclusivity(unchecked) @usableFromInline var storedCursor: Cursor

  @inlinable
  final var cursor: Cursor {
    _read { yield unsafe storedCursor }
    _modify { yield unsafe &storedCursor }
  }

  @inlinable
  init(_ cursor: Cursor) {
    unsafe storedCursor = cursor
  }

  @inlinable
  deinit {
    leave()
  }

  @inlinable var cell: Cell<Cursor.Origin> { cursor.root.cell }

  @inlinable
  final var hasEnded: Bool { !cursor.root.place.isTaken }

  /// Gives the place up. The cell is asked for nothing after that.
  @inlinable
  func leave() {
    guard !hasEnded else { return }
    cell.endReading(&cursor.root.place)
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
      if pace.streak >= Pace.longestStreak {
        pace.streak = 0
        return .yield
      }
      switch cursor.next(in: nil) {
      case .element(let element, _):
        pace.advanced()
        return .element(element)
      case .rejected:
        pace.advanced()
      case .idle:
        let seen = cursor.root.place.seen
        // Who wants the newest value alone would take the lock for each that it finds, and be in the writer's way.
        if pace.burst > 1, cursor.root.place.depth > 1, cell.lingers(after: seen) { continue }
        // It may not suspend there: a writer may get in before the task has parked. So the streak goes on.
        pace.burst = 0
        return .park(after: seen)
      case .finished:
        leave()
      }
    }
    leave()
    return .end
  }
}
