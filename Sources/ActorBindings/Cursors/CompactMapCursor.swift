extension BindingSource {
  /// Transforms each value, and leaves out the values for which `transform` returns nil.
  ///
  /// If `user` is a `BindableActor<User?>`, `user.compactMap { $0 }` begins with the first value that is not nil.
  ///
  /// The result is no `StateSource`, because `transform` may return nil for the current value. `transform` runs once
  /// for each reader and value, without a lock. With the backlog `.latest` it sees only the newest value.
  @inlinable
  public func compactMap<T: Sendable>(
    _ transform: @escaping @Sendable (Value) -> T?
  ) -> some BindingSource<T> {
    DerivedSource(CompactMapCursor(base: cursor, transform: transform))
  }
}

/// The cursor of `compactMap`.
@usableFromInline
struct CompactMapCursor<Base: BindingCursor, Element: Sendable>: WrappingCursor {
  /// Whether the wrapped cursor may be inlined into loops.
  @inlinable static var mayBeInlinedIntoLoops: Bool { Base.mayBeInlinedIntoLoops }

  @usableFromInline var base: Base
  @usableFromInline let transform: @Sendable (Base.Element) -> Element?

  @inlinable
  init(base: Base, transform: @escaping @Sendable (Base.Element) -> Element?) {
    self.base = base
    self.transform = transform
  }

  /// Returns the next element, transformed, or `rejected` if `transform` returns nil.
  @inlinable
  mutating func next(in pass: PassSnapshot<Base.Origin>?) -> Pull<Element> {
    base.next(in: pass).flatMap { element, stamp in
      transform(element).map { .element($0, stamp) } ?? .rejected(stamp)
    }
  }
}
