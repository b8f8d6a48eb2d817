extension PersistentDictionary {
  /// The value of a key; nil if there is none.
  ///
  /// Assigning nil removes the entry. A change of a value happens in place if there is no other copy of the dictionary:
  /// `rooms["lobby"]?.append(guest)`.
  @inlinable
  public subscript(key: Key) -> Value? {
    get {
      value(forKey: key, hash: HashBits.of(key))
    }
    set {
      if let newValue {
        _ = updateValue(newValue, forKey: key)
      } else {
        _ = removeValue(forKey: key)
      }
    }
    _modify {
      let hash = HashBits.of(key)
      guard holds(key, hash: hash) else {
        var value: Value?
        defer { if let value { _ = updateValue(value, forKey: key, hash: hash) } }
        yield &value
        return
      }
      let second = ThreadSanitizer.secondReference(to: storage)
      defer { ThreadSanitizer.release(second) }
      let (entry, _) = unsafe writtenEntry(of: key, hash: hash) { preconditionFailure("an entry has gone") }
      var value: Value? = unsafe withUnsafeMutablePointer(to: &entry.pointee.value) { unsafe $0.move() }
      defer {
        if let new = value.take() {
          unsafe withUnsafeMutablePointer(to: &entry.pointee.value) { unsafe $0.initialize(to: new) }
        } else {
          _ = removeExisting(key, hash: hash, valueIsTaken: true)
        }
        withExtendedLifetime(self) {}
      }
      yield &value
    }
  }

  /// The value of a key, or a default if there is none.
  ///
  /// A change first inserts the default if there is no value: `visits[page, default: 0] += 1`. The change happens in
  /// place if there is no other copy of the dictionary.
  @inlinable
  public subscript(key: Key, default value: @autoclosure () -> Value) -> Value {
    get {
      self[key] ?? value()
    }
    _modify {
      let second = ThreadSanitizer.secondReference(to: storage)
      defer { ThreadSanitizer.release(second) }
      defer { withExtendedLifetime(self) {} }
      let (entry, _) = unsafe writtenEntry(of: key, hash: HashBits.of(key), orInsert: value)
      yield unsafe &entry.pointee.value
    }
  }

  /// Sets the value of a key. Returns the former value, if there was one.
  @inlinable
  @discardableResult
  public mutating func updateValue(_ value: Value, forKey key: Key) -> Value? {
    updateValue(value, forKey: key, hash: HashBits.of(key))
  }

  /// Removes the entry of a key. Returns its value, if there was one.
  @inlinable
  @discardableResult
  public mutating func removeValue(forKey key: Key) -> Value? {
    let hash = HashBits.of(key)
    return holds(key, hash: hash) ? removeExisting(key, hash: hash) : nil
  }

  /// Removes all entries.
  @inlinable
  public mutating func removeAll() {
    storage = nil
  }
}

extension PersistentDictionary {
  /// Returns a storage to which this dictionary holds the only reference. Copies a shared storage first
  /// (copy-on-write).
  ///
  /// Under the thread sanitizer a writer holds a second reference to the storage, so that the writer copies what a
  /// reader may have read.
  @inlinable
  mutating func ownStorage() -> DictionaryStorage {
    if isKnownUniquelyReferenced(&storage), let storage { return storage }
    let own =
      if let storage {
        DictionaryStorage(storage.root, count: storage.count)
      } else {
        DictionaryStorage(unsafe View.make(HashNodeShape()), count: 0)
      }
    storage = own
    return own
  }

  /// Returns the address of the entry of a key, for writing, and gives the entry a new write ID. Inserts an entry if
  /// the key has none. First copies each shared node on the path (copy-on-write).
  @inlinable
  mutating func writtenEntry(
    of key: Key,
    hash: UInt,
    orInsert value: () -> Value
  ) -> (entry: UnsafeMutablePointer<View.Entry>, isNew: Bool) {
    let second = ThreadSanitizer.secondReference(to: storage)
    defer { ThreadSanitizer.release(second) }
    let storage = ownStorage()
    let writeID = unsafe storage.storedWriteIDs.take()
    let place = unsafe withUnsafeMutablePointer(to: &storage.storedRoot) { root in
      unsafe View.entry(of: key, hash: hash, in: root, orInsert: value, writeID)
    }
    if unsafe place.isNew {
      unsafe storage.storedCount += 1
    } else {
      unsafe place.entry.pointee.writeID = writeID
    }
    return unsafe place
  }

  @inlinable
  mutating func updateValue(_ value: Value, forKey key: Key, hash: UInt) -> Value? {
    defer { withExtendedLifetime(self) {} }
    let (entry, isNew) = unsafe writtenEntry(of: key, hash: hash, orInsert: { value })
    if isNew { return nil }
    let old = unsafe entry.pointee.value
    unsafe entry.pointee.value = value
    return old
  }

  @inlinable
  mutating func removeExisting(_ key: Key, hash: UInt, valueIsTaken: Bool = false) -> Value? {
    // A caller that has moved the value out has already copied the shared nodes on the path.
    let second = valueIsTaken ? nil : ThreadSanitizer.secondReference(to: storage)
    defer { ThreadSanitizer.release(second) }
    let storage = ownStorage()
    unsafe storage.storedCount -= 1
    let value = unsafe withUnsafeMutablePointer(to: &storage.storedRoot) { root in
      unsafe View.removeEntry(of: key, hash: hash, in: root, valueIsTaken: valueIsTaken)
    }
    if storage.count == 0 { self.storage = nil }
    return value
  }
}

// MARK: - Writing an entry that was found before

extension PersistentDictionary {
  /// Returns the write ID of the entry of a key; nil if there is none.
  @inlinable
  func writeID(forKey key: Key, hash: UInt) -> WriteID? {
    guard let storage else { return nil }
    return withExtendedLifetime(storage) {
      unsafe View.entry(of: key, hash: hash, in: storage.root)?.pointee.writeID
    }
  }

  /// Returns the entry of a key; nil if there is none.
  @inlinable
  func entry(forKey key: Key, hash: UInt) -> (value: Value, writeID: WriteID)? {
    guard let storage else { return nil }
    return withExtendedLifetime(storage) {
      unsafe View.entry(of: key, hash: hash, in: storage.root).map {
        unsafe ($0.pointee.value, $0.pointee.writeID)
      }
    }
  }

  @inlinable
  func holds(_ writeID: WriteID, hash: UInt) -> Bool {
    guard let storage else { return false }
    return withExtendedLifetime(storage) {
      unsafe View.entry(hash: hash, in: storage.root) { unsafe $0.pointee.writeID == writeID } != nil
    }
  }

  /// Exchanges `value` with the value of the entry that has this write ID.
  ///
  /// This hashes no key, and compares no keys, so it runs no user code.
  ///
  /// - Returns: The new write ID of the entry; nil, without a change, if there is no such entry any more.
  @inlinable
  mutating func exchange(_ value: inout Value, at writeID: WriteID, hash: UInt) -> WriteID? {
    if let newWriteID = exchangeUnshared(&value, at: writeID, hash: hash) { return newWriteID }
    guard holds(writeID, hash: hash) else { return nil }
    let second = ThreadSanitizer.secondReference(to: storage)
    defer { ThreadSanitizer.release(second) }
    defer { withExtendedLifetime(self) {} }
    let storage = ownStorage()
    let entry = unsafe withUnsafeMutablePointer(to: &storage.storedRoot) { root in
      unsafe View.ownEntry(at: writeID, hash: hash, in: root)
    }
    return unsafe storage.exchange(&value, in: entry)
  }

  // The same, if no copy shares the entry. Most of the time this is so, and then one walk finds and writes the entry.
  @inlinable
  mutating func exchangeUnshared(_ value: inout Value, at writeID: WriteID, hash: UInt) -> WriteID? {
    guard !ThreadSanitizer.isOn, isKnownUniquelyReferenced(&storage) else { return nil }
    defer { withExtendedLifetime(self) {} }
    // This dictionary holds the storage, so this counts no reference to it.
    return unsafe storage.map { unsafe Unmanaged.passUnretained($0) }?._withUnsafeGuaranteedRef { storage in
      let entry = unsafe withUnsafeMutablePointer(to: &storage.storedRoot) { root in
        unsafe View.unsharedEntry(at: writeID, hash: hash, in: root)
      }
      guard let entry = unsafe entry else { return nil }
      return unsafe storage.exchange(&value, in: entry)
    }
  }
}

extension DictionaryStorage {
  /// Exchanges the value of an entry of this storage, and gives the entry a new write ID.
  @inlinable
  @inline(__always)
  func exchange<Key, Value>(
    _ value: inout Value,
    in entry: UnsafeMutablePointer<DictionaryEntry<Key, Value>>
  ) -> WriteID {
    unsafe swap(&entry.pointee.value, &value)
    let newWriteID = unsafe storedWriteIDs.take()
    unsafe entry.pointee.writeID = newWriteID
    return newWriteID
  }
}
