/// The cursor of a cell: a position in the cell's updates. Every other cursor wraps a cell cursor.
@_documentation(visibility: internal)
public struct CellCursor<Value: Sendable>: StateCursor {
  @usableFromInline package let cell: Cell<Value>
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

  /// The cell's value.
  @inlinable
  public var current: Value { cell.value }

  /// Returns the next update for this reader.
  @inlinable
  public mutating func next(in pass: PassSnapshot<Value>?) -> Pull<Value> {
    cell.next(at: &position, in: pass)
  }
}
