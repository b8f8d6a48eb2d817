extension BindingSource {
  /// Transforms each element of an array. A state remains a state.
  ///
  /// ```swift
  /// let titles = posts.mapElements(\.title)
  /// ```
  ///
  /// Each reader keeps its own results: `transform` runs once for each element that the reader finds, and later only for
  /// elements that are inserted or replace others. Use `BindableActor(of:)` to share the results. Reading `value` transforms
  /// all elements.
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
struct MapElements<Element: Sendable, T: Sendable>: ElementsOperation {
  @usableFromInline let transform: @Sendable (Element) -> T
  @usableFromInline var input: PersistentArray<Element> = []
  @usableFromInline var storedOutput: PersistentArray<T> = []

  @inlinable
  init(_ transform: @escaping @Sendable (Element) -> T) {
    self.transform = transform
  }

  /// The current results.
  @inlinable
  var output: PersistentArray<T> { storedOutput }

  /// Transforms the new elements.
  @inlinable
  mutating func bringUpToDate(with input: PersistentArray<Element>) -> Bool {
    if self.input.isEmpty { return build(from: input) }
    let edits = input.edits(from: self.input)
    self.input = input
    for edit in edits {
      switch edit {
      case .insert(let offset, let element): storedOutput.insert(transform(element), at: offset)
      case .remove(let offset, _): storedOutput.remove(at: offset)
      case .update(let offset, let element, _): storedOutput.update(transform(element), at: offset)
      case .move(let source, let destination, _): storedOutput.move(from: source, to: destination)
      }
    }
    return !edits.isEmpty
  }

  // Builds the output in bulk, where there were no elements before.
  @inlinable
  mutating func build(from input: PersistentArray<Element>) -> Bool {
    self.input = input
    storedOutput = PersistentArray(input.lazy.map(transform))
    return !input.isEmpty
  }
}
