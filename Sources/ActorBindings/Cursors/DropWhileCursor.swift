extension BindingSource {
  /// Leaves out the values of each reader until `isLeftOut` is false for one of them. The reader receives that value,
  /// and all values after it.
  ///
  /// ```swift
  /// let ready = connection.drop { $0 != .open }
  /// ```
  ///
  /// `isLeftOut` does not run again after it was false. With the backlog `.latest` it checks only the newest value.
  ///
  /// The result is no `StateSource`. If the source ends before `isLeftOut` was false, the reader ends without a value.
  @inlinable
  public func drop(while isLeftOut: @escaping @Sendable (Value) -> Bool) -> some BindingSource<Value> {
    DerivedSource(DropWhileCursor(base: cursor, isLeftOut: isLeftOut))
  }
}

/// The cursor of `drop` with a predicate.
@usableFromInline
struct DropWhileCursor<Base: BindingCursor>: WrappingCursor {
  @usableFromInline var base: Base
  // Nil once the predicate was false.
  @usableFromInline var isLeftOut: (@Sendable (Base.Element) -> Bool)?

  @inlinable
  init(base: Base, isLeftOut: @escaping @Sendable (Base.Element) -> Bool) {
    self.base = base
    self.isLeftOut = isLeftOut
  }

  /// Returns the next element, or `rejected` if that element is left out.
  @inlinable
  mutating func next(in pass: PassSnapshot<Base.Origin>?) -> Pull<Base.Element> {
    let pull = base.next(in: pass)
    guard let isLeftOut, case .element(let element, let stamp) = pull else { return pull }
    if isLeftOut(element) { return .rejected(stamp) }
    self.isLeftOut = nil
    return pull
  }
}
