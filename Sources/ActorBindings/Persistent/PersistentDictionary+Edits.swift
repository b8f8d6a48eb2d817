extension PersistentDictionary {
  /// Returns the steps that turn `old` into this dictionary: the inserted, updated and removed keys.
  ///
  /// A written entry counts as updated even if its value equals the former value, because values need not be Equatable.
  /// A key that was inserted and removed again is in no step.
  ///
  /// - Complexity: Grows with the number of differences, because the comparison skips the nodes that both dictionaries
  ///   share. Two dictionaries share nodes only if one was made from the other, or if both were made from a third.
  @inlinable
  public func edits(from old: PersistentDictionary) -> [DictionaryEdit<Key, Value>] {
    walk(from: old, limit: .max).found
  }

  /// Returns the steps that turn `old` into this dictionary. Stops and returns nil as soon as it has found more than
  /// `limit` steps.
  @inlinable
  public func edits(from old: PersistentDictionary, limit: Int) -> [DictionaryEdit<Key, Value>]? {
    let walk = walk(from: old, limit: limit)
    return walk.isOver ? nil : walk.found
  }

  /// Applies the steps.
  @inlinable
  public mutating func apply(_ edits: some Sequence<DictionaryEdit<Key, Value>>) {
    for edit in edits {
      switch edit {
      case .insert(let key, let value), .update(let key, let value, _): updateValue(value, forKey: key)
      case .remove(let key, _): removeValue(forKey: key)
      }
    }
  }

  /// Returns this dictionary after these steps.
  @inlinable
  public func applying(_ edits: some Sequence<DictionaryEdit<Key, Value>>) -> PersistentDictionary {
    var result = self
    result.apply(edits)
    return result
  }

  /// Compares this dictionary with `old`, and returns the walk with the steps that it has found.
  @inlinable
  package func walk(from old: PersistentDictionary, limit: Int) -> DictionaryWalk<Key, Value> {
    var walk = DictionaryWalk<Key, Value>(limit: limit)
    switch (old.storage?.root, storage?.root) {
    case (let old?, let new?): walk.compare(old, new, shift: 0)
    case (let old?, nil): walk.removed(old)
    case (nil, let new?): walk.inserted(new)
    case (nil, nil): break
    }
    return walk
  }
}
