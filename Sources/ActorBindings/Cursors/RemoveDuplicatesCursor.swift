extension BindingSource {
  /// Leaves out each value that is equal, by `areEqual`, to the last value that the same reader received. The result is
  /// a `StateSource` if this source is one.
  ///
  /// `areEqual` runs once for each value after a reader's first, without a lock. Each reader keeps the last value that
  /// it received. If a value changes and changes back while a reader with the backlog `.latest` is busy, that reader
  /// receives nothing.
  @inlinable
  public func removeDuplicates(
    by areEqual: @escaping @Sendable (Value, Value) -> Bool
  ) -> DerivedSource<RemoveDuplicatesCursor<Cursor>> {
    DerivedSource(RemoveDuplicatesCursor(base: cursor, areEqual: areEqual))
  }
}

extension BindingSource where Value: Equatable {
  /// Leaves out each value that equals the last value that the same reader received. The result is a `StateSource` if
  /// this source is one.
  ///
  /// `==` runs once for each value after a reader's first. See `removeDuplicates(by:)` for what a busy reader receives.
  @inlinable
  public func removeDuplicates() -> DerivedSource<RemoveDuplicatesCursor<Cursor>> {
    removeDuplicates(by: ==)
  }
}

/// The cursor of `removeDuplicates`.
@_documentation(visibility: internal)
public struct RemoveDuplicatesCursor<Base: BindingCursor>: WrappingCursor {
  /// The cursor that this cursor wraps.
  public var base: Base
  @usableFromInline let areEqual: @Sendable (Base.Element, Base.Element) -> Bool
  @usableFromInline var last: Base.Element?

  @inlinable
  init(base: Base, areEqual: @escaping @Sendable (Base.Element, Base.Element) -> Bool) {
    self.base = base
    self.areEqual = areEqual
  }

  /// Returns the next element, or `rejected` if that element equals the last element that this cursor returned.
  @inlinable
  public mutating func next(in pass: PassSnapshot<Base.Origin>?) -> Pull<Base.Element> {
    let pull = base.next(in: pass)
    guard case .element(let element, let stamp) = pull else { return pull }
    if let last, areEqual(last, element) { return .rejected(stamp) }
    last = element
    return pull
  }
}

extension RemoveDuplicatesCursor: StateCursor where Base: StateCursor {
  /// The current element of the base cursor. An element that is left out for a reader is the current element
  /// nevertheless.
  @inlinable
  public var current: Base.Element { base.current }
}
