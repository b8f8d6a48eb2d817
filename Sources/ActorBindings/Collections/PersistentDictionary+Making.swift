extension PersistentDictionary: ExpressibleByDictionaryLiteral {
  /// A dictionary of the entries of a literal, whose keys must differ.
  @inlinable
  public init(dictionaryLiteral entries: (Key, Value)...) {
    self.init(uniqueKeysWithValues: entries)
  }
}

extension PersistentDictionary {
  /// The entries of a Swift dictionary.
  @inlinable
  public init(_ dictionary: [Key: Value]) {
    for (key, value) in dictionary { updateValue(value, forKey: key) }
  }

  /// A dictionary of pairs, whose keys must differ.
  @inlinable
  public init(uniqueKeysWithValues pairs: some Sequence<(Key, Value)>) {
    for (key, value) in pairs {
      if updateValue(value, forKey: key) != nil {
        fatalError("two pairs of a dictionary have the key \(key)")
      }
    }
  }

  /// The entries of a Swift dictionary, all of them as new as if this one had none of them.
  ///
  /// If values can be compared, this keeps those that are equal.
  @inlinable
  public func replacing(with whole: [Key: Value]) -> PersistentDictionary {
    PersistentDictionary(whole)
  }

  /// The entries of a Swift dictionary; those that are equal to the ones here are kept as they are.
  ///
  /// So the ``edits(from:)`` between this dictionary and the new one are the fewest that there can be. It looks at
  /// every entry.
  ///
  /// ```swift
  /// prices.modify { $0 = $0.replacing(with: download) }
  /// ```
  @inlinable
  public func replacing(with whole: [Key: Value]) -> PersistentDictionary where Value: Equatable {
    var result = self
    for (key, value) in whole {
      let hash = HashBits.of(key)
      if let known = result.value(forKey: key, hash: hash), known == value { continue }
      _ = result.updateValue(value, forKey: key, hash: hash)
    }
    if result.count > whole.count {
      for key in keys where whole[key] == nil { result.removeValue(forKey: key) }
    }
    return result
  }
}

extension Dictionary where Key: Sendable, Value: Sendable {
  /// The entries of a persistent dictionary.
  @inlinable
  public init(_ dictionary: PersistentDictionary<Key, Value>) {
    self.init(minimumCapacity: dictionary.count)
    for (key, value) in dictionary { self[key] = value }
  }
}
