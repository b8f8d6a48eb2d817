/// Writes single entries of a dictionary in place.
///
/// A writer looks the entry up without the lock, because a lookup compares keys, which is user code. Each entry has a
/// write ID that no other entry has. By this ID the writer finds the entry again under the lock, without comparing
/// keys, and writes the entry. Only another writer of the same key can get in between these two steps. Writers of other
/// keys cannot.
///
/// If the dictionary does not have the key, or after several lost races, `set` falls back to a `modify` of the whole
/// dictionary. While keys are watched, such a `modify` enters a batch (see `WatchedKeys`).
extension Cell {
  /// Makes `element` the value of `key`.
  @inlinable
  func set<Key, Element>(_ element: Element, forKey key: Key)
  where Value == PersistentDictionary<Key, Element> {
    let hash = HashBits.of(key)
    for _ in 0..<Contention.threshold {
      guard let writeID = writeID(forWriterOf: key, hash: hash) else { break }
      if edit({ $0.exchangeWhileLocked(element, for: key, at: writeID, hash: hash, $1, $2) }) != nil {
        return
      }
    }
    modify { _ = $0.updateValue(element, forKey: key, hash: hash) }
  }

  // Looks the key up in a copy. Releases the copy on return, so that the write that follows need not copy nodes.
  @inlinable
  @inline(__always)
  func writeID<Key, Element>(forWriterOf key: Key, hash: UInt) -> WriteID?
  where Value == PersistentDictionary<Key, Element> {
    locked { state, _ in state.dictionaryWhileLocked(forWriterOf: key, hash: hash) }
      .writeID(forKey: key, hash: hash)
  }

  /// Changes the value of `key`. For what `body` may do, see `modify` of the whole value.
  @inlinable
  func modify<Key, Element, R, E: Error>(
    forKey key: Key,
    _ body: (inout Element?) throws(E) -> R
  ) throws(E) -> R where Value == PersistentDictionary<Key, Element> {
    let hash = HashBits.of(key)
    var draft = self.draft
    var contention = Contention()
    while true {
      let writeID = draft.value.writeID(forKey: key, hash: hash)
      var element = draft.value.value(forKey: key, hash: hash)
      let result: R
      do throws(E) {
        result = try body(&element)
      } catch {
        endContention(contention)
        throw error
      }
      guard let writeID, let element else {
        draft.value[key] = element
        if publish(&draft, &contention) != .outrun { return result }
        continue
      }
      // Releases the draft's reference to the nodes. If no reader holds a copy, the cell now holds the only reference.
      draft.value = PersistentDictionary()
      if edit(&contention, { $0.exchangeWhileLocked(element, for: key, at: writeID, hash: hash, $1, $2) })
        != nil
      {
        return result
      }
      noteOutrun(&contention)
      draft = self.draft
    }
  }
}

/// The former content of an entry that was written in place, to be released after the lock.
@usableFromInline
struct ReplacedEntry<Key: Hashable & Sendable, Element: Sendable>: Sendable {
  @usableFromInline let element: Element
  // The node of the previous write, from the log of the key's hash.
  @usableFromInline let write: WatchedHash<Key, Element>.Node?

  @inlinable
  init(element: Element, write: WatchedHash<Key, Element>.Node?) {
    self.element = element
    self.write = write
  }
}

extension PersistentDictionary {
  /// Makes `element` the value of the entry with this write ID, and enters the write for the watchers of the key.
  ///
  /// - Returns: The former content of the entry; nil if there is no such entry any more.
  @inlinable
  mutating func exchangeWhileLocked(
    _ element: Value,
    for key: Key,
    at writeID: WriteID,
    hash: UInt,
    _ changeLog: ChangeLog<Self>?,
    _ version: UInt64
  ) -> ReplacedEntry<Key, Value>? {
    var value = element
    guard let newWriteID = exchange(&value, at: writeID, hash: hash) else { return nil }
    // The cell holds the change log, so this counts no reference to it.
    let uncounted = unsafe changeLog.map { unsafe Unmanaged.passUnretained($0) }
    guard let changeLog = unsafe uncounted else { return ReplacedEntry(element: value, write: nil) }
    let write = KeyWrite(key, element, writeID: newWriteID, formerWriteID: writeID, version: version)
    let outdated = unsafe changeLog._withUnsafeGuaranteedRef { changeLog in
      let keys = unsafe unsafeDowncast(changeLog, to: WatchedKeys<Key, Value>.self)
      return keys.enterWhileLocked(write, hash: hash)
    }
    return ReplacedEntry(element: value, write: outdated)
  }
}

extension CellState {
  /// The dictionary, for a writer that looks a key up before it writes. Asks the processor for the watched hash of the
  /// key.
  @inlinable
  func dictionaryWhileLocked<Key, Element>(forWriterOf key: Key, hash: UInt) -> Value
  where Value == PersistentDictionary<Key, Element> {
    if let changeLog {
      unsafe unsafeDowncast(changeLog, to: WatchedKeys<Key, Element>.self).prefetchWhileLocked(hash)
    }
    return value
  }
}
