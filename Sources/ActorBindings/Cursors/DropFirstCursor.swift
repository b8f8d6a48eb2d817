extension BindingSource {
  /// A source of changes only: without the value that is current when a reader begins.
  ///
  /// What a reader with the backlog `.latest` is handed first is dropped only if it is that value. A newer one is a
  /// change, and perhaps the last.
  @inlinable
  public func dropFirst() -> DerivedSource<DropFirstCursor<Cursor>> {
    DerivedSource(DropFirstCursor(base: cursor))
  }
}

/// The cursor of `dropFirst`.
public struct DropFirstCursor<Base: BindingCursor>: BindingCursor {
  @usableFromInline var base: Base

  @inlinable
  init(base: Base) {
    self.base = base
  }

  /// The innermost cursor.
  @inlinable
  public var root: CellCursor<Base.Origin> {
    get { base.root }
    _modify { yield &base.root }
  }

  /// The next element, or word that the reader began with it.
  @inlinable
  public mutating func next(in round: Round<Base.Origin>?) -> Pull<Base.Element> {
    let pull = base.next(in: round)
    guard case .element(_, let stamp) = pull, stamp.isInitial else { return pull }
    return .rejected(stamp)
  }
}
