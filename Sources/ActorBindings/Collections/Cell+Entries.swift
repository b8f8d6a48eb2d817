/// Writing single entries of a dictionary, in place.
///
/// An entry is looked up without a lock, for that compares keys, which is the user's code. The mark that it has tells it
/// from all others: by that it is found again under the lock, whatever was written to other keys meanwhile, and written
/// there. Only who writes the same key can be in the way.
extension Cell {
  /// Makes `element` the value of `key`.
  @inlinable
  func set<Key, Element>(_ element: Element, for key: Key) where Value == PersistentDictionary<Key, Element> {
    let hash = HashBits.of(key)
    for _ in 0..<Contention.threshold {
      guard let mark = value.mark(forKey: key, hash: hash) else { break }
      if edit({ $0.exchange(element, for: key, at: mark, hash: hash, $1, $2) }) != nil { return }
    }
    modify { _ = $0.updateValue(element, forKey: key, hash: hash) }
  }

  /// Changes the value of `key`. What is said of the other `modify` holds.
  @inlinable
  func modify<Key, Element, R, E: Error>(
    _ key: Key,
    _ body: (inout Element?) throws(E) -> R
  ) throws(E) -> R where Value == PersistentDictionary<Key, Element> {
    let hash = HashBits.of(key)
    var draft = locked { $0.draft($1) }
    var contention = Contention()
    while true {
      let mark = draft.value.mark(forKey: key, hash: hash)
      var element = draft.value.value(forKey: key, hash: hash)
      let result: R
      do throws(E) {
        result = try body(&element)
      } catch {
        contention.end(in: self)
        throw error
      }
      guard let mark, let element else {
        draft.value[key] = element
        if publish(&draft, &contention) != .outrun { return result }
        continue
      }
      // Nobody else holds the nodes then, if there are no other readers.
      draft.value = PersistentDictionary()
      if edit(&contention, { $0.exchange(element, for: key, at: mark, hash: hash, $1, $2) }) != nil {
        return result
      }
      contention.outrun(in: self)
      draft = locked { $0.draft($1) }
    }
  }
}

/// What an entry held before it was written in place: to be released after the lock.
@usableFromInline
struct ReplacedEntry<Key: Hashable & Sendable, Element: Sendable>: Sendable {
  @usableFromInline let element: Element
  // The write before it, as the watchers of the key have read it.
  @usableFromInline let write: WatchedHash<Key, Element>.Node?

  @inlinable
  init(element: Element, write: WatchedHash<Key, Element>.Node?) {
    self.element = element
    self.write = write
  }
}

extension PersistentDictionary {
  /// Makes `element` the value of the entry with this mark, and enters that for the watchers of the key. Under the lock of
  /// the cell.
  ///
  /// - Returns: What the entry held; nil if there is no such entry any more.
  @inlinable
  mutating func exchange(
    _ element: Value,
    for key: Key,
    at mark: EntryMark,
    hash: UInt,
    _ ledger: Ledger<Self>?,
    _ version: UInt64
  ) -> ReplacedEntry<Key, Value>? {
    var value = element
    guard let newMark = exchange(&value, at: mark, hash: hash) else { return nil }
    guard let ledger else { return ReplacedEntry(element: value, write: nil) }
    let keys = unsafe unsafeDowncast(ledger, to: WatchedKeys<Key, Value>.self)
    let write = KeyWrite(key, element, mark: newMark, formerMark: mark, version: version)
    return ReplacedEntry(element: value, write: keys.enter(write, hash: hash))
  }
}
