extension HashNodeView {
  /// Returns the address of the entry of a key, for writing. Inserts an entry if the key has none. First copies each
  /// shared node on the path (copy-on-write).
  ///
  /// The caller must hold the only reference to the object that contains `root`.
  @inlinable
  static func entry(
    of key: Key,
    hash: UInt,
    in root: UnsafeMutablePointer<HashNode>,
    orInsert value: () -> Value,
    _ writeID: WriteID
  ) -> (entry: UnsafeMutablePointer<Entry>, isNew: Bool) {
    var place = unsafe root
    var shift = 0
    while true {
      let isUnique = unsafe isKnownUniquelyReferenced(&place.pointee)
      let node = unsafe Self(place.pointee)
      var shape = unsafe node.shape
      let slot = HashBits.slot(of: hash, shift: shift)
      let index: Int

      if shift >= HashBits.all {
        if let index = unsafe node.indexInCollisionNode(of: key) {
          if !isUnique { unsafe place.pointee = node.copied() }
          return unsafe (Self(place.pointee).entries + index, false)
        }
        index = shape.entryCount
      } else if shape.childMap & slot != 0 {
        if !isUnique { unsafe place.pointee = node.copied() }
        unsafe place = Self(place.pointee).children + shape.childMap.slots(before: slot)
        shift += HashBits.perLevel
        continue
      } else if shape.entryMap & slot != 0 {
        let index = shape.entryMap.slots(before: slot)
        if unsafe node.entries[index].key == key {
          if !isUnique { unsafe place.pointee = node.copied() }
          return unsafe (Self(place.pointee).entries + index, false)
        }
        let new = Entry(key, value(), writeID)
        return unsafe (node.split(index, slot, new, hash, shift, at: place, isUnique: isUnique), true)
      } else {
        index = shape.entryMap.slots(before: slot)
        shape.entryMap |= slot
      }

      let new = Entry(key, value(), writeID)
      shape.entryCount += 1
      unsafe place.pointee = node.reshaped(shape, taking: isUnique, entries: .gap(at: index))
      let entry = unsafe Self(place.pointee).entries + index
      unsafe entry.initialize(to: new)
      return unsafe (entry, true)
    }
  }

  /// Returns the address of the entry with this write ID, for writing, if no node on the path is shared. Returns nil if
  /// there is no such entry, or if a node is shared: then the caller must use `ownEntry`.
  ///
  /// The caller must hold the only reference to the object that contains `root`. This hashes no key, and compares no
  /// keys.
  @inlinable
  static func unsharedEntry(
    at writeID: WriteID,
    hash: UInt,
    in root: UnsafeMutablePointer<HashNode>
  ) -> UnsafeMutablePointer<Entry>? {
    var place = unsafe root
    var shift = 0
    while unsafe isKnownUniquelyReferenced(&place.pointee) {
      let node = unsafe Self(place.pointee)
      if shift >= HashBits.all {
        let index = unsafe node.indexInCollisionNode { unsafe $0.pointee.writeID == writeID }
        return unsafe index.map { unsafe node.entries + $0 }
      }
      let shape = unsafe node.shape
      let slot = HashBits.slot(of: hash, shift: shift)
      guard shape.childMap & slot != 0 else {
        guard shape.entryMap & slot != 0 else { return nil }
        let entry = unsafe node.entries + shape.entryMap.slots(before: slot)
        return unsafe entry.pointee.writeID == writeID ? entry : nil
      }
      unsafe place = node.children + shape.childMap.slots(before: slot)
      shift += HashBits.perLevel
    }
    return nil
  }

  /// Returns the address of the entry with this write ID, for writing. The entry must exist. First copies each shared
  /// node on the path (copy-on-write).
  ///
  /// The caller must hold the only reference to the object that contains `root`. This hashes no key, and compares no
  /// keys. If this releases a node, a copy holds all contents of the node, so this frees only the memory of the node.
  @inlinable
  static func ownEntry(
    at writeID: WriteID,
    hash: UInt,
    in root: UnsafeMutablePointer<HashNode>
  ) -> UnsafeMutablePointer<Entry> {
    var place = unsafe root
    var shift = 0
    while true {
      if unsafe !isKnownUniquelyReferenced(&place.pointee) {
        unsafe place.pointee = Self(place.pointee).copied()
      }
      let node = unsafe Self(place.pointee)
      let shape = unsafe node.shape
      let slot = HashBits.slot(of: hash, shift: shift)
      guard shift < HashBits.all else {
        guard let index = unsafe node.indexInCollisionNode(where: { unsafe $0.pointee.writeID == writeID })
        else {
          preconditionFailure("an entry that is to be written is not there")
        }
        return unsafe node.entries + index
      }
      guard shape.childMap & slot != 0 else {
        return unsafe node.entries + shape.entryMap.slots(before: slot)
      }
      unsafe place = node.children + shape.childMap.slots(before: slot)
      shift += HashBits.perLevel
    }
  }

  /// Replaces the entry at `index` with a child that holds this entry and a new entry of the same slot. Returns the
  /// address of the new entry.
  @inlinable
  func split(
    _ index: Int,
    _ slot: UInt32,
    _ new: consuming Entry,
    _ hash: UInt,
    _ shift: Int,
    at place: UnsafeMutablePointer<HashNode>,
    isUnique: Bool
  ) -> UnsafeMutablePointer<Entry> {
    var shape = unsafe shape
    let childIndex = shape.childMap.slots(before: slot)
    let old = unsafe take(index, moving: isUnique)
    let oldHash = HashBits.of(old.key)
    let pair = unsafe Self.pair(old, oldHash, new, hash, shift: shift + HashBits.perLevel)
    shape.entryMap ^= slot
    shape.entryCount -= 1
    shape.childMap |= slot
    shape.childCount += 1
    unsafe place.pointee = reshaped(
      shape,
      taking: isUnique,
      children: .gap(at: childIndex),
      entries: .without(index)
    )
    unsafe (Self(place.pointee).children + childIndex).initialize(to: pair.node)
    return unsafe pair.second
  }

  /// Removes the entry of a key. The entry must exist. Returns the value of the entry; nil if the caller has already
  /// moved the value out.
  ///
  /// The caller must hold the only reference to the object that contains `root`. If the value was moved out, the caller
  /// must also hold the only references to all nodes on the path to the entry.
  @inlinable
  static func removeEntry(
    of key: Key,
    hash: UInt,
    in root: UnsafeMutablePointer<HashNode>,
    valueIsTaken: Bool = false
  ) -> Value? {
    var place = unsafe root
    var shift = 0
    // The last node on the path that holds something besides the next node of the path, and the number of bits of the
    // hash that are used up at its level.
    var fork = unsafe (place: root, shift: 0)
    while true {
      let isUnique = unsafe isKnownUniquelyReferenced(&place.pointee)
      let node = unsafe Self(place.pointee)
      var shape = unsafe node.shape
      let slot = HashBits.slot(of: hash, shift: shift)

      if shift < HashBits.all, shape.childMap & slot != 0 {
        if shape.entryCount + shape.childCount > 1 { unsafe fork = (place, shift) }
        if !isUnique { unsafe place.pointee = node.copied() }
        unsafe place = Self(place.pointee).children + shape.childMap.slots(before: slot)
        shift += HashBits.perLevel
        continue
      }

      let isCollisionNode = shift >= HashBits.all
      guard
        let index = unsafe isCollisionNode
          ? node.indexInCollisionNode(of: key) : shape.entryMap.slots(before: slot)
      else {
        preconditionFailure("a key that is to be removed is not there")
      }
      let value = unsafe node.takeValue(index, moving: isUnique, isTaken: valueIsTaken)
      if shift > 0, shape.entryCount == 2, shape.childCount == 0 {
        let rest = unsafe node.take(1 - index, moving: isUnique)
        if isUnique { unsafe node.header.pointee.shape = HashNodeShape() }
        unsafe Self(fork.place.pointee).replaceChild(by: rest, hash, fork.shift, at: fork.place)
      } else {
        if !isCollisionNode { shape.entryMap ^= slot }
        shape.entryCount -= 1
        unsafe place.pointee = node.reshaped(shape, taking: isUnique, entries: .without(index))
      }
      return value
    }
  }

  /// Returns the value of an entry that the caller will remove from this node. If `moving` is true, deinitializes the
  /// entry. `moving` requires that the caller holds the only reference to this node. If `isTaken` is true, the caller
  /// has moved the value out already, and the result is nil.
  @inlinable
  func takeValue(_ index: Int, moving: Bool, isTaken: Bool) -> Value? {
    let entry = unsafe entries + index
    guard isTaken else { return unsafe take(index, moving: moving).value }
    precondition(moving, "a value was taken out of a node that others hold")
    unsafe withUnsafeMutablePointer(to: &entry.pointee.key) { key in
      _ = unsafe key.deinitialize(count: 1)
    }
    return nil
  }

  /// Replaces a child with the only entry that is left below that child. The caller must hold the only reference to
  /// this node.
  @inlinable
  func replaceChild(
    by entry: consuming Entry,
    _ hash: UInt,
    _ shift: Int,
    at place: UnsafeMutablePointer<HashNode>
  ) {
    var shape = unsafe shape
    let slot = HashBits.slot(of: hash, shift: shift)
    let childIndex = shape.childMap.slots(before: slot)
    let index = shape.entryMap.slots(before: slot)
    let child = unsafe (children + childIndex).move()
    shape.childMap ^= slot
    shape.childCount -= 1
    shape.entryMap |= slot
    shape.entryCount += 1
    unsafe place.pointee = reshaped(
      shape,
      taking: true,
      children: .without(childIndex),
      entries: .gap(at: index)
    )
    unsafe (Self(place.pointee).entries + index).initialize(to: entry)
    _ = consume child
  }
}
