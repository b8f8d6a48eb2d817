extension BindingSource {
  /// Selects the entries of a dictionary whose values satisfy the newest predicate. The result is a `StateSource` if
  /// this source and `predicates` are.
  ///
  /// ```swift
  /// let dear = prices.filterElements(
  ///   by: limit.map { limit in { @Sendable price in price > limit } }
  /// )
  /// ```
  ///
  /// A reader applies a new predicate to all entries, and so finds which entries to add and which to remove. A reader
  /// reads the entries together with the predicate, as `combineLatest` does: both were current at the same instant. It
  /// receives nothing before there is a predicate. Reading `value` filters all entries.
  @inlinable
  public func filterElements<Key, Element, Predicates: BindingSource>(
    by predicates: Predicates
  ) -> DerivedSource<
    ElementsCursor<
      CombineLatestCursor<Cursor, MapCursor<Predicates.Cursor, ElementPredicate<Element>>>,
      some ElementsOperation<(Value, ElementPredicate<Element>), PersistentDictionary<Key, Element>>
    >
  > where Value == PersistentDictionary<Key, Element>, Predicates.Value == @Sendable (Element) -> Bool {
    DerivedSource(
      ElementsCursor(
        base: combineLatest(self, predicates.map(ElementPredicate.init)).cursor,
        FilterEntriesByNewest()
      )
    )
  }
}

/// The operation of `filterElements(by:)` of a dictionary.
@usableFromInline
struct FilterEntriesByNewest<Key: Hashable & Sendable, Element: Sendable>: ElementsOperation {
  @usableFromInline var input: PersistentDictionary<Key, Element> = [:]
  @usableFromInline var predicate: ElementPredicate<Element>?
  @usableFromInline var storedOutput: PersistentDictionary<Key, Element> = [:]

  @inlinable
  init() {}

  /// The currently included entries.
  @inlinable
  var output: PersistentDictionary<Key, Element> { storedOutput }

  /// Applies the same predicate to the entries that were written, or a new predicate to all entries.
  @inlinable
  mutating func bringUpToDate(
    with input: (PersistentDictionary<Key, Element>, ElementPredicate<Element>)
  ) -> Bool {
    let edits = input.0.edits(from: self.input)
    self.input = input.0
    var hasChanged = false
    if input.1 === predicate {
      for edit in edits where write(edit.newValue, forKey: edit.key) { hasChanged = true }
      return hasChanged
    }
    predicate = input.1
    // An entry that was written since then is removed, so that the loop below adds it again if it is still included.
    for edit in edits where storedOutput.removeValue(forKey: edit.key) != nil { hasChanged = true }
    for (key, element) in input.0 {
      let isIncluded = input.1.isIncluded(element)
      if isIncluded == storedOutput.keys.contains(key) { continue }
      hasChanged = true
      storedOutput[key] = isIncluded ? element : nil
    }
    return hasChanged
  }

  // Returns whether that changes the output.
  @inlinable
  mutating func write(_ element: Element?, forKey key: Key) -> Bool {
    guard let element, predicate?.isIncluded(element) == true else {
      return storedOutput.removeValue(forKey: key) != nil
    }
    storedOutput.updateValue(element, forKey: key)
    return true
  }
}
