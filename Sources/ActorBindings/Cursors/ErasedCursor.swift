/// A cursor whose type is hidden. It costs each reader one allocation, and each element one indirect call.
@_documentation(visibility: internal)
public struct ErasedCursor<Element: Sendable>: BindingCursor {
  // Copies of a cursor share this object until one of them begins to read: then that copy gets its own.
  @usableFromInline var reader: ErasedReader<Element>

  @inlinable
  init(_ reader: ErasedReader<Element>) {
    self.reader = reader
  }

  /// The innermost cursor.
  @inlinable
  public var root: ErasedRoot {
    get { ErasedRoot(reader) }
    _modify {
      var root = ErasedRoot(reader)
      defer { reader = unsafe unsafeDowncast(root.reader, to: ErasedReader<Element>.self) }
      yield &root
    }
  }

  /// Returns the next element of the cursor inside.
  @inlinable
  public mutating func next(in pass: PassSnapshot<ErasedOrigin>?) -> Pull<Element> {
    guard case .pass(let pass) = pass?.value?.content else { return reader.next(reader, nil) }
    return reader.next(reader, pass)
  }

  /// The newest version of which the cursor inside has returned all elements.
  @inlinable public var completed: UInt64 { reader.completed }
}

/// A cursor over a source that always has a value, whose type is hidden.
@_documentation(visibility: internal)
public struct ErasedStateCursor<Element: Sendable>: WrappingCursor, StateCursor {
  /// The cursor that this cursor wraps.
  public var base: ErasedCursor<Element>

  @inlinable
  init<Base: StateCursor>(_ base: Base) where Base.Element == Element {
    self.base = ErasedCursor(StateCursorBox(base))
  }

  /// Returns the next element of the cursor inside.
  @inlinable
  public mutating func next(in pass: PassSnapshot<ErasedOrigin>?) -> Pull<Element> {
    base.next(in: pass)
  }

  /// The current element of the cursor inside.
  @inlinable
  public var current: Element { base.reader.current }
}

/// The innermost part of a type-erased cursor: the cell and the position of the cursor inside.
@_documentation(visibility: internal)
public struct ErasedRoot: CursorRoot, JunctionViewable {
  /// What a pass shows the cursor.
  public typealias Origin = ErasedOrigin

  @usableFromInline var reader: AnyErasedReader

  @inlinable
  init(_ reader: AnyErasedReader) {
    self.reader = reader
  }

  /// The cell that the cursor inside reads.
  @inlinable
  public var cell: AnyCell { reader.cell }

  /// What junctions see of the cell: this type-erased root.
  @inlinable
  public var viewed: ErasedRoot { self }

  /// Returns a view of the cells that a junction reads to show the cell.
  @inlinable
  public func junctionView(_ counted: inout CountedCells) -> JunctionView<ErasedOrigin> {
    reader.junctionView(&counted)
  }

  /// The newest version that this reader has received, or has skipped.
  @inlinable
  public var seen: UInt64 { reader.seen }

  /// The instant of the next update, if the backlog is `.unbounded`.
  @inlinable
  public var nextInstant: LogicalInstant? { reader.nextInstant }

  /// The backlog of the reader as a number.
  @inlinable
  public var depth: UInt32 { reader.depth }

  /// Whether the cursor has a position in the cell now.
  @inlinable
  public var isTaken: Bool { reader.isTaken }

  /// Gives this cursor an object of its own.
  @inlinable
  public mutating func detach() {
    reader = reader.copy()
  }

  /// Takes a position that an iterator may take over later.
  @inlinable
  public func reserved(depth: UInt32) -> AnyReservedPosition { reader.reserved(depth: depth) }

  /// Detaches the cursor, and begins to read.
  @inlinable
  public mutating func begin(depth: UInt32, reserved: AnyReservedPosition?) {
    detach()
    reader.begin(depth: depth, reserved: reserved)
  }

  /// Ends reading.
  @inlinable
  public mutating func end() {
    reader.end()
  }

  /// Takes a position before `version`.
  @inlinable
  public mutating func beginWhileLocked(depth: UInt32, at version: UInt64) {
    reader.beginWhileLocked(depth: depth, at: version)
  }

  /// Gives up the position.
  @inlinable
  public mutating func leaveWhileLocked() -> (any AnyObject & Sendable)? { reader.leaveWhileLocked() }

  /// Returns a pass that shows the cursor inside the pass of the lane.
  @inlinable
  public func pass(showing pass: AnyPassSnapshot) -> PassSnapshot<ErasedOrigin> {
    reader.shown.value = ErasedOrigin(.pass(pass))
    return reader.shown
  }

  /// Detaches the cursor, and begins to read what other code shows it.
  @inlinable
  public mutating func start(
    at snapshot: Snapshot<ErasedOrigin>,
    depth: UInt32
  ) -> PassSnapshot<ErasedOrigin> {
    detach()
    reader.start(at: snapshot, depth: depth)
    return reader.shown
  }

  /// Shows the cursor inside what its cell held.
  @inlinable
  public func show(_ snapshot: Snapshot<ErasedOrigin>, in pass: PassSnapshot<ErasedOrigin>) {
    reader.show(snapshot)
  }

  /// Releases the value that `show` has shown.
  @inlinable
  public func clear(_ pass: PassSnapshot<ErasedOrigin>) {
    reader.clear()
  }
}
