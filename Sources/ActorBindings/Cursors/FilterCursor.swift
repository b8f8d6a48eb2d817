extension BindingSource {
  /// A source of the values for which `isIncluded` is true.
  ///
  /// A reader with the backlog `.latest` is asked about the newest value only: what it never looked at may
  /// well have matched. Choose `.bounded` or `.unbounded` to be asked about more, or all.
  @inlinable
  public func filter(
    _ isIncluded: @escaping @Sendable (Value) -> Bool
  ) -> DerivedSource<FilterCursor<Cursor>> {
    DerivedSource(FilterCursor(base: cursor, isIncluded: isIncluded))
  }
}

/// The cursor of `filter`.
public struct FilterCursor<Base: BindingCursor>: BindingCursor {
  @usableFromInline var base: Base
  @usableFromInline let isIncluded: @Sendable (Base.Element) -> Bool

  @inlinable
  init(base: Base, isIncluded: @escaping @Sendable (Base.Element) -> Bool) {
    self.base = base
    self.isIncluded = isIncluded
  }

  /// The innermost cursor.
  @inlinable
  public var root: CellCursor<Base.Origin> {
    get { base.root }
    _modify { yield &base.root }
  }

  /// The next element, or word that it was rejected.
  @inlinable
  public mutating func next(in round: Round<Base.Origin>?) -> Pull<Base.Element> {
    let pull = base.next(in: round)
    guard case .element(let element, let stamp) = pull, !isIncluded(element) else { return pull }
    return .rejected(stamp)
  }
}
