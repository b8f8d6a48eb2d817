extension PersistentDictionary {
  /// What was written since an older copy: the keys that were inserted, updated and removed.
  ///
  /// An entry that was written counts as updated even if its value is equal to the one before: values need not be
  /// comparable. A key that was inserted and removed again is not named. What both dictionaries share is skipped, so
  /// the price is that of the writes, not of the whole. The two need not come from one another: whatever they do not
  /// share counts as written.
  ///
  /// - Parameter old: the dictionary to compare with.
  /// - Returns: what leads from `old` to this one.
  @inlinable
  public func changes(from old: PersistentDictionary) -> DictionaryDelta<Key, Value> {
    walk(from: old, limit: .max).delta
  }

  /// What was written since an older copy, unless it is more than so many entries.
  ///
  /// The search ends at the first entry too many. To a reader who would rather be given the whole than a long list
  /// of changes, `prices.changes(from: old, limit: prices.count)` says which it should be.
  ///
  /// - Parameters:
  ///   - old: the dictionary to compare with.
  ///   - limit: how many entries there may be.
  /// - Returns: what leads from `old` to this one; nil if there are more than `limit` entries.
  @inlinable
  public func changes(from old: PersistentDictionary, limit: Int) -> DictionaryDelta<Key, Value>? {
    let walk = walk(from: old, limit: limit)
    return walk.isOver ? nil : walk.delta
  }

  /// This dictionary after changes.
  ///
  /// `old.applying(new.changes(from: old))` has the entries of `new`. Applied to another dictionary, the keys that the
  /// changes name have the new values afterwards, or are gone; the others stay.
  @inlinable
  public func applying(_ delta: DictionaryDelta<Key, Value>) -> PersistentDictionary {
    var result = self
    result.apply(delta)
    return result
  }

  /// Makes changes to this dictionary. See ``applying(_:)``.
  @inlinable
  public mutating func apply(_ delta: DictionaryDelta<Key, Value>) {
    for entry in delta {
      switch entry {
      case .inserted(let key, let value), .updated(let key, _, let value): updateValue(value, forKey: key)
      case .removed(let key, _): removeValue(forKey: key)
      }
    }
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
