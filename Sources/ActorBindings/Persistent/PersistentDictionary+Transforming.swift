// As Swift's dictionaries have it. Entries that are kept stay the ones that they were, so `edits(from:)` does not name them.

extension PersistentDictionary {
  /// Removes those entries for which `shouldBeRemoved` is true. The others stay what they were.
  @inlinable
  public mutating func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
    var keys: [Key] = []
    for entry in self where try shouldBeRemoved(entry) { keys.append(entry.key) }
    for key in keys { removeValue(forKey: key) }
  }

  /// A dictionary of those entries for which `isIncluded` is true. Each stays the one that it was.
  @inlinable
  public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> PersistentDictionary {
    var result = self
    try result.removeAll { try !isIncluded($0) }
    return result
  }

  /// A dictionary with what `transform` makes of each value. All its entries are new.
  @inlinable
  public func mapValues<T: Sendable>(
    _ transform: (Value) throws -> T
  ) rethrows -> PersistentDictionary<Key, T> {
    try compactMapValues(transform)
  }

  /// A dictionary with what `transform` makes of each value, but for those of which it makes nil. All its entries are new.
  @inlinable
  public func compactMapValues<T: Sendable>(
    _ transform: (Value) throws -> T?
  ) rethrows -> PersistentDictionary<Key, T> {
    var result = PersistentDictionary<Key, T>()
    for (key, value) in self {
      if let value = try transform(value) { result.updateValue(value, forKey: key) }
    }
    return result
  }
}

// MARK: - Merging

extension PersistentDictionary {
  /// A dictionary of pairs. Where several have the same key, `combine` makes one value of the one so far and the next.
  @inlinable
  public init(
    _ pairs: some Sequence<(Key, Value)>,
    uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows {
    self.init()
    try merge(pairs, uniquingKeysWith: combine)
  }

  /// A dictionary of arrays: under each key those values for which `keyForValue` has returned it, in their order.
  @inlinable
  public init<S: Sequence>(
    grouping values: S,
    by keyForValue: (S.Element) throws -> Key
  ) rethrows where Value == [S.Element] {
    self.init(try Dictionary(grouping: values, by: keyForValue))
  }

  /// Adds pairs. Where a key is there already, `combine` makes one value of what is there and the new one.
  @inlinable
  public mutating func merge(
    _ pairs: some Sequence<(Key, Value)>,
    uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows {
    for (key, value) in pairs {
      updateValue(try self[key].map { try combine($0, value) } ?? value, forKey: key)
    }
  }

  /// Adds the entries of a dictionary, Swift's or one like this. Where a key is there already, `combine` makes one value of
  /// what is there and the new one.
  @inlinable
  @_disfavoredOverload
  public mutating func merge(
    _ entries: some Sequence<Element>,
    uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows {
    try merge(entries.lazy.map { ($0.key, $0.value) }, uniquingKeysWith: combine)
  }

  /// This dictionary with pairs added: see `merge`.
  @inlinable
  public func merging(
    _ pairs: some Sequence<(Key, Value)>,
    uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows -> PersistentDictionary {
    var result = self
    try result.merge(pairs, uniquingKeysWith: combine)
    return result
  }

  /// This dictionary with the entries of another one added: see `merge`.
  @inlinable
  @_disfavoredOverload
  public func merging(
    _ entries: some Sequence<Element>,
    uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows -> PersistentDictionary {
    var result = self
    try result.merge(entries, uniquingKeysWith: combine)
    return result
  }
}
