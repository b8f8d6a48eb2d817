extension BindingSource {
  /// Selects the elements of an array for which `isIncluded` is true. The result is a `StateSource` if this source is
  /// one.
  ///
  /// ```swift
  /// let open = jobs.filterElements { !$0.isDone }
  /// ```
  ///
  /// Each reader first calls `isIncluded` for all elements, and later only for elements that are inserted or that
  /// replace others. A reader receives no update for a change that concerns no included element. Reading `value`
  /// filters all elements.
  @inlinable
  public func filterElements<Element>(
    _ isIncluded: @escaping @Sendable (Element) -> Bool
  ) -> DerivedSource<ElementsCursor<Cursor, some ElementsOperation<Value, PersistentArray<Element>>>>
  where Value == PersistentArray<Element> {
    DerivedSource(ElementsCursor(base: cursor, FilterElements(isIncluded)))
  }

  /// Selects the elements of an array for which the newest predicate is true. The result is a `StateSource` if this
  /// source and `predicates` are.
  ///
  /// ```swift
  /// let found = posts.filterElements(
  ///   by: search.map { text in
  ///     { @Sendable post in post.title.contains(text) }
  ///   }
  /// )
  /// ```
  ///
  /// A reader applies a new predicate to all elements, and so finds which elements to add and which to remove. A reader
  /// reads the elements together with the predicate, as `combineLatest` does: both were current at the same instant. It
  /// receives nothing before there is a predicate. Reading `value` filters all elements.
  @inlinable
  public func filterElements<Element, Predicates: BindingSource>(
    by predicates: Predicates
  ) -> DerivedSource<
    ElementsCursor<
      CombineLatestCursor<Cursor, MapCursor<Predicates.Cursor, ElementPredicate<Element>>>,
      FilterByNewest<Element>
    >
  > where Value == PersistentArray<Element>, Predicates.Value == @Sendable (Element) -> Bool {
    DerivedSource(
      ElementsCursor(
        base: combineLatest(self, predicates.map(ElementPredicate.init)).cursor,
        FilterByNewest()
      )
    )
  }
}

/// The operation of `filterElements`.
@usableFromInline
struct FilterElements<Element: Sendable>: EditingOperation {
  @usableFromInline typealias Input = PersistentArray<Element>
  @usableFromInline var isIncluded: @Sendable (Element) -> Bool
  @usableFromInline var input: Input = []
  @usableFromInline var inclusions = ListTree<Inclusion>()
  @usableFromInline var storedOutput: PersistentArray<Element> = []

  // Whether an element is included. An included element weighs 1, any other element weighs 0. So the offset of an
  // included element in the output is the weight of all elements before this element.
  @usableFromInline
  struct Inclusion: ListItem {
    @usableFromInline let isIncluded: Bool

    @inlinable
    init(isIncluded: Bool) {
      self.isIncluded = isIncluded
    }

    @inlinable var weight: Int { isIncluded ? 1 : 0 }
  }

  @inlinable
  init(_ isIncluded: @escaping @Sendable (Element) -> Bool) {
    self.isIncluded = isIncluded
  }

  /// The currently included elements.
  @inlinable
  var output: PersistentArray<Element> { storedOutput }

  @inlinable
  mutating func fill(with input: Input) -> Bool? {
    let new = input.map { Inclusion(isIncluded: isIncluded($0)) }
    inclusions = ListTree(new)
    storedOutput = PersistentArray(zip(input, new).lazy.filter { $1.isIncluded }.map { $0.0 })
    return !storedOutput.isEmpty
  }

  @inlinable
  mutating func apply(_ edit: ArrayEdit<Element>) -> Bool {
    switch edit {
    case .insert(let offset, let element):
      let inclusion = Inclusion(isIncluded: isIncluded(element))
      inclusions.insert(inclusion, at: offset)
      guard inclusion.isIncluded else { return false }
      storedOutput.insert(element, at: inclusions.weight(before: offset))
    case .remove(let offset, _):
      let outputOffset = inclusions.weight(before: offset)
      guard inclusions.remove(at: offset).isIncluded else { return false }
      storedOutput.remove(at: outputOffset)
    case .update(let offset, let element, _):
      return replace(at: offset, by: element)
    case .move(let source, let destination, _):
      let outputOffset = inclusions.weight(before: source)
      let inclusion = inclusions.remove(at: source)
      inclusions.insert(inclusion, at: destination)
      guard inclusion.isIncluded else { return false }
      storedOutput.move(from: outputOffset, to: inclusions.weight(before: destination))
    }
    return true
  }

  /// Applies another predicate to all elements.
  @inlinable
  mutating func replacePredicate(with isIncluded: @escaping @Sendable (Element) -> Bool) -> Bool {
    self.isIncluded = isIncluded
    var (offset, outputOffset, hasChanged) = (0, 0, false)
    for (element, old) in zip(input, inclusions) {
      let new = Inclusion(isIncluded: isIncluded(element))
      if old.isIncluded != new.isIncluded {
        hasChanged = true
        inclusions.replace(at: offset, with: new)
        if new.isIncluded {
          storedOutput.insert(element, at: outputOffset)
        } else {
          storedOutput.remove(at: outputOffset)
        }
      }
      (offset, outputOffset) = (offset + 1, outputOffset + new.weight)
    }
    return hasChanged
  }

  // Replaces the element at `offset`. Returns whether that changes the output.
  @inlinable
  mutating func replace(at offset: Int, by element: Element) -> Bool {
    let outputOffset = inclusions.weight(before: offset)
    let new = Inclusion(isIncluded: isIncluded(element))
    let old = inclusions.replace(at: offset, with: new)
    switch (old.isIncluded, new.isIncluded) {
    case (true, true): storedOutput.update(element, at: outputOffset)
    case (true, false): storedOutput.remove(at: outputOffset)
    case (false, true): storedOutput.insert(element, at: outputOffset)
    case (false, false): return false
    }
    return true
  }
}

/// A predicate with an identity: predicates are compared by reference.
@_documentation(visibility: internal)
public final class ElementPredicate<Element: Sendable>: Sendable {
  @usableFromInline let isIncluded: @Sendable (Element) -> Bool

  @inlinable
  init(_ isIncluded: @escaping @Sendable (Element) -> Bool) {
    self.isIncluded = isIncluded
  }
}

/// The operation of `filterElements(by:)`.
@_documentation(visibility: internal)
public struct FilterByNewest<Element: Sendable>: ElementsOperation {
  @usableFromInline var filter = FilterElements<Element> { _ in false }
  @usableFromInline var predicate: ElementPredicate<Element>?

  @inlinable
  init() {}

  /// The currently included elements.
  @inlinable
  public var output: PersistentArray<Element> { filter.output }

  /// Applies the same predicate to the new elements, or a new predicate to all elements.
  @inlinable
  public mutating func bringUpToDate(with input: (PersistentArray<Element>, ElementPredicate<Element>))
    -> Bool
  {
    if input.1 === predicate { return filter.bringUpToDate(with: input.0) }
    predicate = input.1
    // The former predicate must not run on elements that came with the new predicate. So the filter first leaves out
    // all new elements. Then the new predicate runs on all elements.
    filter.isIncluded = { _ in false }
    let hasChanged = filter.bringUpToDate(with: input.0)
    return filter.replacePredicate(with: input.1.isIncluded) || hasChanged
  }
}
