extension BindingSource {
  /// Leaves out the values for which `isIncluded` is false.
  ///
  /// For a reader with the backlog `.latest`, `isIncluded` checks only the newest value; a value that the reader
  /// skipped may have matched. Choose `.bounded` to check more values, or `.unbounded` to check all.
  ///
  /// The result is no `StateSource`, because the current value may be left out: a reader may wait for its first value.
  @inlinable
  public func filter(
    _ isIncluded: @escaping @Sendable (Value) -> Bool
  ) -> some BindingSource<Value> {
    DerivedSource(FilterCursor(base: cursor, isIncluded: isIncluded))
  }
}

/// The cursor of `filter`.
@usableFromInline
struct FilterCursor<Base: BindingCursor>: WrappingCursor {
  /// Whether the wrapped cursor may be inlined into loops.
  @inlinable static var mayBeInlinedIntoLoops: Bool { Base.mayBeInlinedIntoLoops }

  @usableFromInline var base: Base
  @usableFromInline let isIncluded: @Sendable (Base.Element) -> Bool

  @inlinable
  init(base: Base, isIncluded: @escaping @Sendable (Base.Element) -> Bool) {
    self.base = base
    self.isIncluded = isIncluded
  }

  /// Returns the next element, or `rejected` if `isIncluded` is false for it.
  @inlinable
  mutating func next(in pass: PassSnapshot<Base.Origin>?) -> Pull<Base.Element> {
    let pull = base.next(in: pass)
    guard case .element(let element, let stamp) = pull, !isIncluded(element) else { return pull }
    return .rejected(stamp)
  }
}
