/// The reader behind one iterator: its cursor, and the waiter of its task.
///
/// ### States
/// - *reading*: the task runs, and only the task accesses the cursor.
/// - *parked*: the reader has seen everything, and the task waits in the cell's `WaitList`.
/// - *ended*: the cell has ended, the task was cancelled, or the iterator was released. The reader has given up its
///   position.
// @unchecked: each variable says what guards it.
@usableFromInline
final class StreamReader<Cursor: BindingCursor>: LoopWaiter, @unchecked Sendable {
  // Only the task accesses this, as with `pace`.
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
  final var hasEnded: Bool { !cursor.root.position.isTaken }

  /// Gives up the position. After this the reader asks the cell for nothing.
  @inlinable
  func leave() {
    guard !hasEnded else { return }
    cell.endReading(&cursor.root.position)
  }

  /// The next step of the task.
  @usableFromInline
  enum Step: Sendable {
    case element(Cursor.Element)
    /// Other tasks should get a turn.
    case yield
    /// The reader has seen everything.
    case park(after: UInt64)
    case end
  }

  // Never inlined, because inlining would put what this function needs into the frame of the loop's task, where it would
  // take memory while the loop is parked.
  @inlinable
  @inline(never)
  func advance() -> Step {
    while !hasEnded, !Task.isCancelled {
      if pace.streak.isDue {
        pace.streak.yielded()
        return .yield
      }
      switch cursor.next(in: nil) {
      case .element(let element, _):
        pace.advanced()
        return .element(element)
      case .rejected:
        pace.advanced()
      case .idle:
        let seen = cursor.root.position.seen
        // A reader with the backlog `.latest` does not spin: it would take the lock for each value that it finds, and
        // so slow down the writer.
        if pace.burst > 1, cursor.root.position.depth > 1, cell.spin(untilNewerThan: seen) { continue }
        // `park` may return without suspending the task, because a writer may write before the task has parked. So the
        // streak is not reset here.
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
