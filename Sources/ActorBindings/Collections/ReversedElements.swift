extension BindingSource {
  /// Reverses the elements of an array. The result is a `StateSource` if this source is one.
  ///
  /// ```swift
  /// let newestFirst = messages.reversed()
  /// ```
  ///
  /// Each change of the array makes one change of the result, at the same cost for any number of elements. Reading
  /// `value` reverses all elements.
  @inlinable
  public func reversed<Element>() -> DerivedSource<
    ElementsCursor<Cursor, some ElementsOperation<Value, PersistentArray<Element>>>
  >
  where Value == PersistentArray<Element> {
    DerivedSource(ElementsCursor(base: cursor, ReverseElements()))
  }
}

/// The operation of `reversed`.
@usableFromInline
struct ReverseElements<Element: Sendable>: EditingOperation {
  @usableFromInline typealias Input = PersistentArray<Element>
  @usableFromInline var input: Input = []
  @usableFromInline var storedOutput: PersistentArray<Element> = []

  @inlinable
  init() {}

  /// The current elements, the last first.
  @inlinable
  var output: PersistentArray<Element> { storedOutput }

  @inlinable
  mutating func fill(with input: Input) -> Bool? {
    storedOutput = PersistentArray(input.reversed())
    return !input.isEmpty
  }

  @inlinable
  mutating func apply(_ edit: ArrayEdit<Element>) -> Bool {
    let count = storedOutput.count
    switch edit {
    case .insert(let offset, let element): storedOutput.insert(element, at: count - offset)
    case .remove(let offset, _): storedOutput.remove(at: count - 1 - offset)
    case .update(let offset, let element, _): storedOutput.update(element, at: count - 1 - offset)
    case .move(let source, let destination, _):
      storedOutput.move(from: count - 1 - source, to: count - 1 - destination)
    }
    return true
  }
}
