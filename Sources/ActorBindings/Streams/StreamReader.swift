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

  /// Creates a reader that begins to read.
  // Never inlined: the frame of the loop's task would keep the room that this function needs.
  @inlinable
  @inline(never)
  static func begin(
    _ prototype: Cursor,
    depth: UInt32,
    reserved: AnyReservedPosition?,
    site: CallSite = CallSite()
  ) -> StreamReader {
    var cursor = prototype
    cursor.root.begin(depth: depth, reserved: reserved)
    let reader = StreamReader(cursor)
    if Tracking.recordsReaders { reader.makeRecord(of: reserved, at: site) }
    return reader
  }

  @inlinable
  deinit {
    leave()
  }

  @inlinable var cell: Cursor.Root.RootCell { cursor.root.cell }

  @inlinable
  final var hasEnded: Bool { !cursor.root.isTaken }

  /// Gives up the position. After this the reader asks the cell for nothing.
  @inlinable
  func leave() {
    guard !hasEnded else { return }
    cursor.root.end()
    if pace.isRecorded { endRecord() }
  }

  // These functions are never inlined: the frame of the loop's task would keep the room that they need.

  /// Makes a record of this reader. If the reader has taken a stream over, the record names the place of the stream.
  @inlinable
  @inline(never)
  func makeRecord(of stream: AnyReservedPosition?, at site: CallSite) {
    pace.isRecorded = true
    makeRecord(
      at: stream?.recordedSite ?? site,
      in: cell,
      depth: cursor.root.depth,
      seen: cursor.root.seen
    )
  }

  /// Removes the record, because this reader has ended.
  @inlinable
  @inline(never)
  func endRecord() {
    pace.isRecorded = false
    forgetRecord()
  }

  /// Notes in the record how far this reader has come.
  @inlinable
  @inline(never)
  func noteProgress() {
    noteProgress(cursor.root.seen)
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

  // The problem: if this function is inlined into a loop, the room that it needs becomes part of the frame of the loop's
  // task, and takes memory while the loop is parked. For a chain of operators this is much. But if it is not inlined, its
  // result takes room there: for a plain cell this is more, and a call for each element costs time. So the size of the
  // cursor decides. But the compiler does not know the size if the cursor stores a value of some types of other modules,
  // such as `ContinuousClock.Instant`, and then keeps room for both branches. So only a cursor that says that it may be
  // inlined is inlined: that of a cell, and those of operators that store only a function.
  @inlinable
  @inline(__always)
  func advance() -> Step {
    Cursor.mayBeInlinedIntoLoops && MemoryLayout<Cursor>.size <= Self.largestInlinedCursor
      ? advanceInline() : advanceOutOfLine()
  }

  /// The size of a cursor, in bytes, above which a loop calls a function to advance.
  @inlinable static var largestInlinedCursor: Int { 64 }

  @inlinable
  @inline(never)
  func advanceOutOfLine() -> Step { advanceInline() }

  @inlinable
  @inline(__always)
  func advanceInline() -> Step {
    if pace.isRecorded { noteProgress() }
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
        let seen = cursor.root.seen
        // A reader with the backlog `.latest` does not spin: it would take the lock for each value that it finds, and
        // so slow down the writer.
        if pace.burst > 1, cursor.root.depth > 1, cell.spin(untilNewerThan: seen) { continue }
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
