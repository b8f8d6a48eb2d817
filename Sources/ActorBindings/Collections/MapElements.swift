extension BindingSource {
  /// A source of an array with what `transform` makes of each element. A state stays a state.
  ///
  /// ```swift
  /// let titles = posts.mapElements(\.title)
  /// ```
  ///
  /// Each reader keeps its results: `transform` runs once for each element that it finds, and then for those that come in
  /// or take the place of others. Use `BindableActor(of:)` to share them. To read `value` transforms all.
  @inlinable
  public func mapElements<Element, T: Sendable>(
    _ transform: @escaping @Sendable (Element) -> T
  ) -> DerivedSource<ElementsCursor<Cursor, MapElements<Element, T>>>
  where Value == PersistentArray<Element> {
    DerivedSource(ElementsCursor(base: cursor, MapElements(transform)))
  }
}

/// The operation of `mapElements`.
public struct MapElements<Element: Sendable, T: Sendable>: ElementsOperation {
  @usableFromInline let transform: @Sendable (Element) -> T
  @usableFromInline var input: PersistentArray<Element> = []
  @usableFromInline var storedOutput: PersistentArray<T> = []

  @inlinable
  init(_ transform: @escaping @Sendable (Element) -> T) {
    self.transform = transform
  }

  /// The results so far.
  @inlinable
  public var output: PersistentArray<T> { storedOutput }

  /// Transforms what is new.
  @inlinable
  public mutating func update(to input: PersistentArray<Element>) -> Bool {
    if self.input.isEmpty { return begin(with: input) }
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

  // In one piece.
  @inlinable
  mutating func begin(with input: PersistentArray<Element>) -> Bool {
    self.input = input
    storedOutput = PersistentArray(input.lazy.map(transform))
    return !input.isEmpty
  }
}
