extension BindingSource {
  /// Joins two dictionaries by key. The result is a `StateSource` if both sources are.
  ///
  /// ```swift
  /// let worth = shares.joined(with: prices) { count, price in
  ///   if let count, let price { Double(count) * price } else { nil }
  /// }
  /// ```
  ///
  /// A reader reads both dictionaries at one instant, as `combineLatest` does. Each reader first calls `transform` for
  /// all keys, and later only for keys that are written in one of the dictionaries, once for each such key. A write
  /// counts as a change of the result's entry, even if `transform` returns an equal value. Reading `value` joins the
  /// whole dictionaries.
  ///
  /// - Parameters:
  ///   - other: A source of the other dictionary.
  ///   - transform: Receives the value of a key in each dictionary; nil if the key has no value there. At most one of
  ///     the two is nil. Returns nil to leave the key out of the result.
  @inlinable
  public func joined<Key, Element, Other: Sendable, Others: BindingSource, T: Sendable>(
    with other: Others,
    _ transform: @escaping @Sendable (Element?, Other?) -> T?
  ) -> DerivedSource<
    ElementsCursor<
      CombineLatestCursor<Cursor, Others.Cursor>,
      some ElementsOperation<(Value, Others.Value), PersistentDictionary<Key, T>>
    >
  >
  where Value == PersistentDictionary<Key, Element>, Others.Value == PersistentDictionary<Key, Other> {
    DerivedSource(ElementsCursor(base: combineLatest(self, other).cursor, JoinEntries(transform)))
  }
}

/// The operation of `joined(with:)`.
@usableFromInline
struct JoinEntries<Key: Hashable & Sendable, First: Sendable, Second: Sendable, T: Sendable>:
  ElementsOperation
{
  @usableFromInline let transform: @Sendable (First?, Second?) -> T?
  @usableFromInline var first: PersistentDictionary<Key, First> = [:]
  @usableFromInline var second: PersistentDictionary<Key, Second> = [:]
  @usableFromInline var storedOutput: PersistentDictionary<Key, T> = [:]

  @inlinable
  init(_ transform: @escaping @Sendable (First?, Second?) -> T?) {
    self.transform = transform
  }

  /// The current results.
  @inlinable
  var output: PersistentDictionary<Key, T> { storedOutput }

  @inlinable
  mutating func bringUpToDate(
    with input: (PersistentDictionary<Key, First>, PersistentDictionary<Key, Second>)
  ) -> Bool {
    let written = input.0.edits(from: first).map(\.key)
    let writtenInOther = input.1.edits(from: second).map(\.key)
    (first, second) = input
    var hasChanged = false
    for key in written where join(key) { hasChanged = true }
    if writtenInOther.isEmpty { return hasChanged }
    let done = Set(written)
    for key in writtenInOther where !done.contains(key) && join(key) { hasChanged = true }
    return hasChanged
  }

  // Returns whether that changes the output.
  @inlinable
  mutating func join(_ key: Key) -> Bool {
    let (first, second) = (first[key], second[key])
    // A key that is in neither dictionary is in no result.
    guard !(first == nil && second == nil), let result = transform(first, second) else {
      return storedOutput.removeValue(forKey: key) != nil
    }
    storedOutput.updateValue(result, forKey: key)
    return true
  }
}
