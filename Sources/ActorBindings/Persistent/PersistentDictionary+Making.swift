extension PersistentDictionary: ExpressibleByDictionaryLiteral {
  /// Creates a dictionary from the entries of a literal, whose keys must differ.
  @inlinable
  public init(dictionaryLiteral entries: (Key, Value)...) {
    self.init(uniqueKeysWithValues: entries)
  }
}

extension PersistentDictionary {
  /// Creates a dictionary from the entries of a Swift dictionary.
  @inlinable
  public init(_ dictionary: [Key: Value]) {
    for (key, value) in dictionary { updateValue(value, forKey: key) }
  }

  /// Creates a dictionary from pairs, whose keys must differ.
  @inlinable
  public init(uniqueKeysWithValues pairs: some Sequence<(Key, Value)>) {
    for (key, value) in pairs {
      if updateValue(value, forKey: key) != nil {
        fatalError("two pairs of a dictionary have the key \(key)")
      }
    }
  }

  /// Replaces all entries with those of a Swift dictionary, and keeps equal entries as they are.
  ///
  /// So ``edits(from:)`` finds the fewest possible steps from the dictionary before the call to the dictionary after
  /// it. The method looks at every entry.
  ///
  /// ```swift
  /// prices.modify { $0.replaceAll(with: download) }
  /// ```
  @inlinable
  public mutating func replaceAll(with whole: [Key: Value]) where Value: Equatable {
    for (key, value) in whole {
      let hash = HashBits.of(key)
      if let known = self.value(forKey: key, hash: hash), known == value { continue }
      _ = updateValue(value, forKey: key, hash: hash)
    }
    if count > whole.count {
      for key in keys where whole[key] == nil { removeValue(forKey: key) }
    }
  }
}

extension Dictionary where Key: Sendable, Value: Sendable {
  /// Creates a Swift dictionary from the entries of a persistent dictionary.
  @inlinable
  public init(_ dictionary: PersistentDictionary<Key, Value>) {
    self.init(minimumCapacity: dictionary.count)
    for (key, value) in dictionary { self[key] = value }
  }
}
