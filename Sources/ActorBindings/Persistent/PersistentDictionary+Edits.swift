extension PersistentDictionary {
  /// The steps that make this dictionary of `old`: the keys that were inserted, updated and removed.
  ///
  /// An entry that was written counts as updated even if its value is equal to the one before: values need not be
  /// comparable. A key that was inserted and removed again is not named.
  ///
  /// - Complexity: That of the differences: what both share is not looked at. Nothing is shared by dictionaries of which
  ///   none was made of the other, or both of a third.
  @inlinable
  public func edits(from old: PersistentDictionary) -> [DictionaryEdit<Key, Value>] {
    walk(from: old, limit: .max).found
  }

  /// The steps that make this dictionary of `old`, unless there are more than `limit`: then nil, as soon as that is known.
  @inlinable
  public func edits(from old: PersistentDictionary, limit: Int) -> [DictionaryEdit<Key, Value>]? {
    let walk = walk(from: old, limit: limit)
    return walk.isOver ? nil : walk.found
  }

  /// Takes the steps.
  @inlinable
  public mutating func apply(_ edits: some Sequence<DictionaryEdit<Key, Value>>) {
    for edit in edits {
      switch edit {
      case .insert(let key, let value), .update(let key, let value, _): updateValue(value, forKey: key)
      case .remove(let key, _): removeValue(forKey: key)
      }
    }
  }

  /// This dictionary after these steps.
  @inlinable
  public func applying(_ edits: some Sequence<DictionaryEdit<Key, Value>>) -> PersistentDictionary {
    var result = self
    result.apply(edits)
    return result
  }

  /// The way through two dictionaries on which their difference is found.
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
