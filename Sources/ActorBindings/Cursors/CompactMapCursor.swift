extension BindingSource {
  /// Transforms each value, and leaves out the values for which `transform` returns nil.
  ///
  /// For a `BindableActor<User?>`, `user.compactMap { $0 }` begins with the first value that is not nil.
  @inlinable
  public func compactMap<T: Sendable>(
    _ transform: @escaping @Sendable (Value) -> T?
  ) -> some BindingSource<T> {
    DerivedSource(CompactMapCursor(base: cursor, transform: transform))
  }
}

/// The cursor of `compactMap`.
@usableFromInline
struct CompactMapCursor<Base: BindingCursor, Element: Sendable>: BindingCursor {
  @usableFromInline var base: Base
  @usableFromInline let transform: @Sendable (Base.Element) -> Element?

  @inlinable
  init(base: Base, transform: @escaping @Sendable (Base.Element) -> Element?) {
    self.base = base
    self.transform = transform
  }

  /// The innermost cursor.
  @inlinable
  var root: CellCursor<Base.Origin> {
    get { base.root }
    _modify { yield &base.root }
  }

  /// Returns the next element, transformed, or `rejected` if `transform` returns nil.
  @inlinable
  mutating func next(in pass: PassSnapshot<Base.Origin>?) -> Pull<Element> {
    switch base.next(in: pass) {
    case .element(let element, let stamp): transform(element).map { .element($0, stamp) } ?? .rejected(stamp)
    case .rejected(let stamp): .rejected(stamp)
    case .idle: .idle
    case .finished: .finished
    }
  }
}
