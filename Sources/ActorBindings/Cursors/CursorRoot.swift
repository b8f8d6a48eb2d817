/// The innermost part of a cursor: the cell that it reads, and the position of one reader in the updates of that cell.
///
/// A `CellCursor` knows the type of the cell's value. An `ErasedRoot` does not. So the readers of cursors use only what
/// this protocol declares. A function whose name ends in `WhileLocked` is called with the lock of the cell held.
@_documentation(visibility: internal)
public protocol CursorRoot<Origin>: Sendable {
  /// The type of what a pass shows the cursor.
  associatedtype Origin: Sendable
  /// The type of the cell.
  associatedtype RootCell: AnyCell
  /// The type of what junctions see of the cell.
  associatedtype Viewed: JunctionViewable<Origin>

  /// The cell.
  var cell: RootCell { get }

  /// What junctions see of the cell.
  var viewed: Viewed { get }

  /// The newest version that this reader has received, or has skipped.
  var seen: UInt64 { get }

  /// The instant of the next update, the one after `seen`. Nil if the backlog is not `.unbounded`. Read only if there is
  /// such an update.
  var nextInstant: LogicalInstant? { get }

  /// The number of unseen versions that may wait: 1 for `.latest`, n for `.bounded(n)`, `.max` for `.unbounded`.
  var depth: UInt32 { get }

  /// Whether the cursor has a position in the cell now.
  var isTaken: Bool { get }

  /// Makes this a cursor of its own reader, which shares no state with the cursor that it is a copy of. Never called
  /// under a lock.
  mutating func detach()

  /// Takes a position that an iterator may take over later.
  func reserved(depth: UInt32) -> AnyReservedPosition

  /// Detaches the cursor, and begins to read: at the reserved position if that is still free.
  mutating func begin(depth: UInt32, reserved: AnyReservedPosition?)

  /// Ends reading: the reader has come to its end, or another reader continues for it.
  mutating func end()

  /// Takes a position before `version`, which the cell has now. The cursor is detached already.
  mutating func beginWhileLocked(depth: UInt32, at version: UInt64)

  /// Gives up the position. Returns what the cell no longer holds then, for the caller to release after the lock.
  mutating func leaveWhileLocked() -> (any AnyObject & Sendable)?

  /// Returns a lane's pass, as this cursor reads it.
  func pass(showing pass: AnyPassSnapshot) -> PassSnapshot<Origin>

  /// Detaches the cursor, and begins to read what other code shows it. Returns the pass in which `show` shows it.
  mutating func start(at snapshot: Snapshot<Origin>, depth: UInt32) -> PassSnapshot<Origin>

  /// Shows the cursor what its cell held.
  func show(_ snapshot: Snapshot<Origin>, in pass: PassSnapshot<Origin>)

  /// Releases the value that `show` has shown.
  func clear(_ pass: PassSnapshot<Origin>)
}
