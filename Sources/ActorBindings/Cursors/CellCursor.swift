/// The cursor of a cell: a position in the cell's updates. Every other cursor wraps a cell cursor.
@_documentation(visibility: internal)
public struct CellCursor<Value: Sendable>: StateCursor {
  /// The cell.
  public let cell: Cell<Value>
  @usableFromInline package var position: ReadPosition<Value>

  /// Creates a cursor that has no position in the cell.
  @inlinable
  package init(cell: Cell<Value>) {
    self.cell = cell
    position = ReadPosition()
  }

  /// This cursor itself.
  @inlinable
  public var root: CellCursor<Value> {
    get { self }
    _modify { yield &self }
  }

  /// True: the cursor of a cell needs little room.
  @inlinable public static var mayBeInlinedIntoLoops: Bool { true }

  /// The cell's value.
  @inlinable
  public var current: Value { cell.value }

  /// Returns the next update for this reader.
  @inlinable
  public mutating func next(in pass: PassSnapshot<Value>?) -> Pull<Value> {
    cell.next(at: &position, in: pass)
  }
}

extension CellCursor: CursorRoot {
  /// What junctions see of the cell: the cell itself.
  @inlinable
  public var viewed: Cell<Value> { cell }

  /// The newest version that this reader has received, or has skipped.
  @inlinable
  public var seen: UInt64 { position.seen }

  /// The instant of the next update, if the backlog is `.unbounded`.
  @inlinable
  @inline(__always)
  public var nextInstant: LogicalInstant? {
    position.isUnbounded ? position.chunk?.instantInLog(of: position.seen &+ 1) : nil
  }

  /// The backlog of the reader as a number.
  @inlinable
  public var depth: UInt32 { position.depth }

  /// Whether the cursor has a position in the cell now.
  @inlinable
  public var isTaken: Bool { position.isTaken }

  /// Does nothing: a copy of this cursor shares no state with it.
  @inlinable
  public mutating func detach() {}

  /// Takes a position that an iterator may take over later.
  @inlinable
  public func reserved(depth: UInt32) -> AnyReservedPosition { ReservedPosition(cell, depth: depth) }

  /// Begins to read: at the reserved position if that is still free.
  @inlinable
  public mutating func begin(depth: UInt32, reserved: AnyReservedPosition?) {
    position = cell.beginReading(
      depth: depth,
      reserved: reserved.map { unsafe unsafeDowncast($0, to: ReservedPosition<Value>.self) }
    )
  }

  /// Ends reading.
  @inlinable
  public mutating func end() {
    cell.endReading(&position)
  }

  /// Takes a position before `version`.
  @inlinable
  public mutating func beginWhileLocked(depth: UInt32, at version: UInt64) {
    position = cell.stateWhileLocked.joined(depth: depth, at: version, isJoint: cell.isJoint)
  }

  /// Gives up the position.
  @inlinable
  public mutating func leaveWhileLocked() -> (any AnyObject & Sendable)? {
    let cell = cell
    return cell.stateWhileLocked.left(&position, at: cell.rosterWhileLocked.version, of: cell).object
  }

  /// Returns the pass itself, with the type that the cell gave it.
  @inlinable
  public func pass(showing pass: AnyPassSnapshot) -> PassSnapshot<Value> {
    unsafe unsafeDowncast(pass, to: PassSnapshot<Value>.self)
  }

  /// Begins to read what other code shows.
  @inlinable
  public mutating func start(at snapshot: Snapshot<Value>, depth: UInt32) -> PassSnapshot<Value> {
    position = ReadPosition(shown: snapshot.version, depth: depth)
    if cell.isJoint, let start = snapshot.value {
      position.chunk = LogChunk(start: start, at: snapshot.version)
    }
    return PassSnapshot()
  }

  /// Shows the cursor what its cell held.
  @inlinable
  public func show(_ snapshot: Snapshot<Value>, in pass: PassSnapshot<Value>) {
    pass.setVersion(snapshot.version)
    pass.value = snapshot.value
  }

  /// Releases the value that `show` has shown.
  @inlinable
  public func clear(_ pass: PassSnapshot<Value>) {
    pass.value = nil
  }
}
