extension BindingSource {
  /// Transforms each element of an array. The result is a `StateSource` if this source is one.
  ///
  /// ```swift
  /// let titles = posts.mapElements(\.title)
  /// ```
  ///
  /// Each reader keeps its own results. For each reader, `transform` first runs for all elements, and later only for
  /// elements that are inserted or that replace others. To share the results among readers, use `BindableActor(of:)`.
  /// Reading `value` transforms all elements.
  @inlinable
  public func mapElements<Element, T: Sendable>(
    _ transform: @escaping @Sendable (Element) -> T
  ) -> DerivedSource<ElementsCursor<Cursor, some ElementsOperation<Value, PersistentArray<T>>>>
  where Value == PersistentArray<Element> {
    DerivedSource(ElementsCursor(base: cursor, MapElements(transform)))
  }
}

/// The operation of `mapElements`.
@usableFromInline
struct MapElements<Element: Sendable, T: Sendable>: EditingOperation {
  @usableFromInline typealias Input = PersistentArray<Element>
  @usableFromInline let transform: @Sendable (Element) -> T
  @usableFromInline var input: Input = []
  @usableFromInline var storedOutput: PersistentArray<T> = []

  @inlinable
  init(_ transform: @escaping @Sendable (Element) -> T) {
    self.transform = transform
  }

  /// The current results.
  @inlinable
  var output: PersistentArray<T> { storedOutput }

  @inlinable
  mutating func fill(with input: Input) -> Bool? {
    storedOutput = PersistentArray(input.lazy.map(transform))
    return !input.isEmpty
  }

  @inlinable
  mutating func apply(_ edit: ArrayEdit<Element>) -> Bool {
    switch edit {
    case .insert(let offset, let element): storedOutput.insert(transform(element), at: offset)
    case .remove(let offset, _): storedOutput.remove(at: offset)
    case .update(let offset, let element, _): storedOutput.update(transform(element), at: offset)
    case .move(let source, let destination, _): storedOutput.move(from: source, to: destination)
    }
    return true
  }
}
