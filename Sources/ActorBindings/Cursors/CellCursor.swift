/// Stands in the updates of a cell. All other cursors are around one of these.
public struct CellCursor<Value: Sendable>: StateCursor {
  @usableFromInline package let cell: Cell<Value>
  @usableFromInline package var place: Place<Value>

  /// A cursor that stands nowhere.
  @inlinable
  package init(cell: Cell<Value>) {
    self.cell = cell
    place = Place()
  }

  /// Itself.
  @inlinable
  public var root: CellCursor<Value> {
    get { self }
    _modify { yield &self }
  }

  /// The cell's value.
  @inlinable
  public var current: Value { cell.value }

  /// The next update for this reader.
  @inlinable
  public mutating func next(in round: Round<Value>?) -> Pull<Value> {
    cell.next(at: &place, in: round)
  }
}
