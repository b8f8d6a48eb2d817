extension BindingSource {
  /// A source of an array with those elements for which `isIncluded` is true. A state stays a state.
  ///
  /// ```swift
  /// let open = jobs.filterElements { !$0.isDone }
  /// ```
  ///
  /// Each reader asks once about each element that it finds, and again only about those that were replaced. A change
  /// that concerns none of those that are included is passed over.
  @inlinable
  public func filterElements<Element>(
    _ isIncluded: @escaping @Sendable (Element) -> Bool
  ) -> DerivedSource<ElementsCursor<Cursor, FilterElements<Element>>>
  where Value == PersistentArray<Element> {
    DerivedSource(ElementsCursor(base: cursor, FilterElements(isIncluded)))
  }

  /// A source of an array with those elements for which the newest predicate is true. A state stays a state, if the
  /// predicates are one too.
  ///
  /// ```swift
  /// let found = posts.filterElements(
  ///   by: search.map { text in { @Sendable post in post.title.contains(text) } }
  /// )
  /// ```
  ///
  /// A new predicate is asked about all elements; readers are told what comes in and what goes. The elements and the
  /// predicate are read as `combineLatest` reads them: what a predicate is asked about was there at the same instant.
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
public struct FilterElements<Element: Sendable>: ElementsOperation {
  @usableFromInline var isIncluded: @Sendable (Element) -> Bool
  private var input: PersistentArray<Element> = []
  private var marks = ListTree<Mark>()
  /// The included ones so far.
  public private(set) var output: PersistentArray<Element> = []

  // Whether an element is included. So what the marks before it weigh is where it is in the output.
  private struct Mark: ListItem {
    let isIncluded: Bool
    var weight: Int { isIncluded ? 1 : 0 }
  }

  @usableFromInline
  init(_ isIncluded: @escaping @Sendable (Element) -> Bool) {
    self.isIncluded = isIncluded
  }

  /// Asks about what is new.
  public mutating func update(to input: PersistentArray<Element>) -> Bool {
    let edits = input.edits(from: self.input)
    self.input = input
    var hasChanged = false
    for edit in edits {
      switch edit {
      case .insert(let offset, let element):
        let mark = Mark(isIncluded: isIncluded(element))
        marks.insert(mark, at: offset)
        guard mark.isIncluded else { continue }
        output.insert(element, at: marks.weight(before: offset))
      case .remove(let offset, _):
        let place = marks.weight(before: offset)
        guard marks.remove(at: offset).isIncluded else { continue }
        output.remove(at: place)
      case .update(let offset, let element, _):
        guard replace(at: offset, by: element) else { continue }
      case .move(let source, let destination, _):
        let place = marks.weight(before: source)
        let mark = marks.remove(at: source)
        marks.insert(mark, at: destination)
        guard mark.isIncluded else { continue }
        output.move(from: place, to: marks.weight(before: destination))
      }
      hasChanged = true
    }
    return hasChanged
  }

  /// Asks somebody else about all elements.
  mutating func update(with isIncluded: @escaping @Sendable (Element) -> Bool) -> Bool {
    self.isIncluded = isIncluded
    var hasChanged = false
    for (offset, element) in input.enumerated() {
      let place = marks.weight(before: offset)
      let (old, new) = (marks[offset], Mark(isIncluded: isIncluded(element)))
      if old.isIncluded == new.isIncluded { continue }
      hasChanged = true
      marks.replace(at: offset, with: new)
      if new.isIncluded { output.insert(element, at: place) } else { output.remove(at: place) }
    }
    return hasChanged
  }

  // Returns whether that changes the output.
  private mutating func replace(at offset: Int, by element: Element) -> Bool {
    let place = marks.weight(before: offset)
    let new = Mark(isIncluded: isIncluded(element))
    let old = marks.replace(at: offset, with: new)
    switch (old.isIncluded, new.isIncluded) {
    case (true, true): output.update(element, at: place)
    case (true, false): output.remove(at: place)
    case (false, true): output.insert(element, at: place)
    case (false, false): return false
    }
    return true
  }
}

/// A predicate, and which one it is.
public final class ElementPredicate<Element: Sendable>: Sendable {
  @usableFromInline let isIncluded: @Sendable (Element) -> Bool

  @usableFromInline
  init(_ isIncluded: @escaping @Sendable (Element) -> Bool) {
    self.isIncluded = isIncluded
  }
}

/// The operation of `filterElements(by:)`.
public struct FilterByNewest<Element: Sendable>: ElementsOperation {
  private var filter = FilterElements<Element> { _ in false }
  private var predicate: ElementPredicate<Element>?

  @usableFromInline
  init() {}

  /// The included ones so far.
  public var output: PersistentArray<Element> { filter.output }

  /// Asks about what is new, or somebody else about all.
  public mutating func update(to input: (PersistentArray<Element>, ElementPredicate<Element>)) -> Bool {
    var hasChanged = filter.update(to: input.0)
    if input.1 !== predicate {
      predicate = input.1
      hasChanged = filter.update(with: input.1.isIncluded) || hasChanged
    }
    return hasChanged
  }
}
