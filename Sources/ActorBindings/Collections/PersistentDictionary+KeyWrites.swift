extension PersistentDictionary {
  /// Compares this dictionary with `old`, and returns the changes of the keys that have this hash, as writes.
  func writes(from old: PersistentDictionary, hash: UInt, _ version: UInt64, _ instant: LogicalInstant)
    -> [WatchedKeysState<Key, Value>.HashedWrite]
  {
    let (after, before) = (entries(hash: hash), old.entries(hash: hash))
    var writes = after.compactMap { entry -> KeyWrite<Key, Value>? in
      let former = before.first { $0.key == entry.key }
      if former?.writeID == entry.writeID { return nil }
      return KeyWrite(
        entry.key,
        entry.value,
        writeID: entry.writeID,
        formerWriteID: former?.writeID,
        version: version
      )
    }
    for entry in before where !after.contains(where: { $0.key == entry.key }) {
      writes.append(KeyWrite(entry.key, nil, writeID: nil, formerWriteID: entry.writeID, version: version))
    }
    return writes.map { write in
      var write = write
      write.instant = instant
      return .init(write: write, hash: hash)
    }
  }

  /// Returns the entries whose keys have this hash.
  private func entries(hash: UInt) -> [(key: Key, value: Value, writeID: WriteID)] {
    guard let storage else { return [] }
    var found: [(key: Key, value: Value, writeID: WriteID)] = []
    withExtendedLifetime(storage) {
      // The predicate always returns false, so the search visits each entry that this hash leads to.
      _ = unsafe HashNodeView<Key, Value>.entry(hash: hash, in: storage.root) { entry in
        let entry = unsafe entry.pointee
        if HashBits.of(entry.key) == hash { found.append((entry.key, entry.value, entry.writeID)) }
        return false
      }
    }
    return found
  }
}
