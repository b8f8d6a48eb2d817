// The operations of Swift's `Dictionary`. Kept entries remain the same entries, so `edits(from:)` does not name them.

extension PersistentDictionary {
  /// Removes the entries for which `shouldBeRemoved` is true. The others remain the same entries.
  @inlinable
  public mutating func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
    var keys: [Key] = []
    for entry in self where try shouldBeRemoved(entry) { keys.append(entry.key) }
    for key in keys { removeValue(forKey: key) }
  }

  /// Returns a dictionary of the entries for which `isIncluded` is true. Each remains the same entry.
  @inlinable
  public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> PersistentDictionary {
    var result = self
    try result.removeAll { try !isIncluded($0) }
    return result
  }

  /// Returns a dictionary with each value transformed by `transform`. All its entries are new.
  @inlinable
  public func mapValues<T: Sendable>(
    _ transform: (Value) throws -> T
  ) rethrows -> PersistentDictionary<Key, T> {
    try compactMapValues(transform)
  }

  /// Returns a dictionary with the non-nil results of `transform` for the values. All its entries are new.
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
  /// Creates a dictionary from pairs. If several pairs have the same key, `combine` combines their values, one after
  /// the other.
  @inlinable
  public init(
    _ pairs: some Sequence<(Key, Value)>,
    uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows {
    self.init()
    try merge(pairs, uniquingKeysWith: combine)
  }

  /// Creates a dictionary of arrays: each key has the values for which `keyForValue` returned this key, in the order of
  /// `values`.
  @inlinable
  public init<S: Sequence>(
    grouping values: S,
    by keyForValue: (S.Element) throws -> Key
  ) rethrows where Value == [S.Element] {
    self.init(try Dictionary(grouping: values, by: keyForValue))
  }

  /// Adds pairs. If a key exists already, `combine` combines its value with the new value.
  @inlinable
  public mutating func merge(
    _ pairs: some Sequence<(Key, Value)>,
    uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows {
    for (key, value) in pairs {
      updateValue(try self[key].map { try combine($0, value) } ?? value, forKey: key)
    }
  }

  /// Adds the entries of a Swift dictionary or of a persistent dictionary. If a key exists already, `combine` combines
  /// its value with the new value.
  @inlinable
  @_disfavoredOverload
  public mutating func merge(
    _ entries: some Sequence<Element>,
    uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows {
    try merge(entries.lazy.map { ($0.key, $0.value) }, uniquingKeysWith: combine)
  }

  /// Returns this dictionary with pairs added: see `merge`.
  @inlinable
  public func merging(
    _ pairs: some Sequence<(Key, Value)>,
    uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows -> PersistentDictionary {
    var result = self
    try result.merge(pairs, uniquingKeysWith: combine)
    return result
  }

  /// Returns this dictionary with the entries of another dictionary added: see `merge`.
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
