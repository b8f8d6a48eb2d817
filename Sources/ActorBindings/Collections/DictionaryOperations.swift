extension BindingSource {
  /// Transforms each value of a dictionary. The result is a `StateSource` if this source is one.
  ///
  /// ```swift
  /// let names = sessions.mapElements(\.userName)
  /// ```
  ///
  /// Each reader keeps its own results. For each reader, `transform` first runs for all entries, and later only for
  /// entries that are written. To share the results among readers, use `BindableActor(of:)`. Reading `value` transforms
  /// all entries.
  @inlinable
  public func mapElements<Key, Element, T: Sendable>(
    _ transform: @escaping @Sendable (Element) -> T
  ) -> DerivedSource<ElementsCursor<Cursor, some ElementsOperation<Value, PersistentDictionary<Key, T>>>>
  where Value == PersistentDictionary<Key, Element> {
    DerivedSource(ElementsCursor(base: cursor, MapEntries { transform($0) }))
  }

  /// Selects the entries of a dictionary whose values satisfy `isIncluded`. The result is a `StateSource` if this
  /// source is one.
  ///
  /// ```swift
  /// let failed = jobs.filterElements { $0.state == .failed }
  /// ```
  ///
  /// Each reader first calls `isIncluded` for all entries, and later only for entries that are written. A reader
  /// receives no update for a change that concerns no included entry. Reading `value` checks all entries.
  @inlinable
  public func filterElements<Key, Element>(
    _ isIncluded: @escaping @Sendable (Element) -> Bool
  ) -> DerivedSource<
    ElementsCursor<Cursor, some ElementsOperation<Value, PersistentDictionary<Key, Element>>>
  >
  where Value == PersistentDictionary<Key, Element> {
    DerivedSource(ElementsCursor(base: cursor, MapEntries { isIncluded($0) ? $0 : nil }))
  }

  /// Sorts the entries of a dictionary into an array. The result is a `StateSource` if this source is one.
  ///
  /// ```swift
  /// let dearest = prices.sorted { $0.value > $1.value }
  /// ```
  ///
  /// Each reader keeps the sorted array, so the cost of inserting an entry grows with the logarithm of the number of
  /// entries. Reading `value` sorts all entries.
  ///
  /// If neither of two entries is before the other, each reader keeps both in the order in which it received them. So
  /// another reader, or `value`, may have these entries in another order. If the order matters, let
  /// `areInIncreasingOrder` compare the keys last.
  @inlinable
  public func sorted<Key, Element>(
    by areInIncreasingOrder:
      @escaping @Sendable ((key: Key, value: Element), (key: Key, value: Element)) -> Bool
  ) -> DerivedSource<
    ElementsCursor<Cursor, some ElementsOperation<Value, PersistentArray<(key: Key, value: Element)>>>
  >
  where Value == PersistentDictionary<Key, Element> {
    DerivedSource(ElementsCursor(base: cursor, SortedEntries(areInIncreasingOrder)))
  }
}

/// The operation of `mapElements` and `filterElements` of a dictionary.
@usableFromInline
struct MapEntries<Key: Hashable & Sendable, Element: Sendable, T: Sendable>: EditingOperation {
  @usableFromInline typealias Input = PersistentDictionary<Key, Element>
  // Returns nil for an entry that the result leaves out.
  @usableFromInline let transform: @Sendable (Element) -> T?
  @usableFromInline var input: Input = [:]
  @usableFromInline var storedOutput: PersistentDictionary<Key, T> = [:]

  @inlinable
  init(_ transform: @escaping @Sendable (Element) -> T?) {
    self.transform = transform
  }

  /// The current results.
  @inlinable
  var output: PersistentDictionary<Key, T> { storedOutput }

  @inlinable
  mutating func apply(_ edit: DictionaryEdit<Key, Element>) -> Bool {
    guard let result = edit.newValue.flatMap(transform) else {
      return storedOutput.removeValue(forKey: edit.key) != nil
    }
    storedOutput.updateValue(result, forKey: edit.key)
    return true
  }
}

/// The operation of `sorted(by:)` of a dictionary.
@usableFromInline
struct SortedEntries<Key: Hashable & Sendable, Element: Sendable>: EditingOperation {
  @usableFromInline typealias Input = PersistentDictionary<Key, Element>
  /// A key and its value.
  @usableFromInline typealias Entry = (key: Key, value: Element)

  @usableFromInline var input: Input = [:]
  @usableFromInline var order: SortedList<Entry>
  // The number that each key's entry has in `order`.
  @usableFromInline var numbers: [Key: Int] = [:]

  @inlinable
  init(_ areInIncreasingOrder: @escaping @Sendable (Entry, Entry) -> Bool) {
    order = SortedList(areInIncreasingOrder)
  }

  /// The current entries in order.
  @inlinable
  var output: PersistentArray<Entry> { order.elements }

  @inlinable
  mutating func fill(with input: Input) -> Bool? {
    let all = input.map { $0 }
    for (entry, number) in zip(all, order.fill(with: all)) { numbers[entry.key] = number.value }
    return !input.isEmpty
  }

  @inlinable
  mutating func apply(_ edit: DictionaryEdit<Key, Element>) -> Bool {
    let number = numbers[edit.key]
    if let number, let old = edit.oldValue { order.remove((edit.key, old), number) }
    numbers[edit.key] = edit.newValue.map { order.insert((edit.key, $0), number) }
    return true
  }
}

// MARK: - Keys and count

extension BindableDictionary {
  /// A `StateSource` of the keys, as an array in no particular order. Readers receive an update when a key is inserted
  /// or removed, not when the value of a key is written. `keysSource.changes` is a source of the changes of this array.
  /// `value.keys` holds the current keys.
  @inlinable
  public nonisolated var keysSource: some StateSource<PersistentArray<Key>> {
    DerivedSource(ElementsCursor(base: cursor, KeyList()))
  }

  /// A `StateSource` of the number of entries. Readers receive an update when the number changes. `count` is the
  /// current number.
  @inlinable
  public nonisolated var countSource: some StateSource<Int> {
    map(\.count).removeDuplicates()
  }
}

/// The operation of `keysSource`.
@usableFromInline
struct KeyList<Key: Hashable & Sendable, Element: Sendable>: EditingOperation {
  @usableFromInline typealias Input = PersistentDictionary<Key, Element>
  @usableFromInline var input: Input = [:]
  @usableFromInline var offsets: [Key: Int] = [:]
  @usableFromInline var storedOutput: PersistentArray<Key> = []

  @inlinable
  init() {}

  /// The current keys.
  @inlinable
  var output: PersistentArray<Key> { storedOutput }

  // Adds an inserted key at the end. The last key takes the place of a removed key.
  @inlinable
  mutating func apply(_ edit: DictionaryEdit<Key, Element>) -> Bool {
    switch edit {
    case .update: return false
    case .insert(let key, _):
      offsets[key] = storedOutput.count
      storedOutput.append(key)
    case .remove(let key, _):
      guard let offset = offsets.removeValue(forKey: key), let last = storedOutput.last else { return false }
      storedOutput.swapAt(offset, storedOutput.count - 1)
      storedOutput.removeLast()
      if offset < storedOutput.count { offsets[last] = offset }
    }
    return true
  }
}
