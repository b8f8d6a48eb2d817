extension HashNodeView {
  /// Where the entry of a key stands, in nodes that nobody else holds: to be written there. It is made if there is none.
  ///
  /// Nobody else may hold what `root` stands in.
  @inlinable
  static func entry(
    of key: Key,
    hash: UInt,
    in root: UnsafeMutablePointer<HashNode>,
    orInsert value: () -> Value,
    _ mark: EntryMark
  ) -> (entry: UnsafeMutablePointer<Entry>, isNew: Bool) {
    var place = unsafe root
    var shift = 0
    while true {
      let isOurs = unsafe isKnownUniquelyReferenced(&place.pointee)
      let node = unsafe Self(place.pointee)
      var shape = unsafe node.shape
      let slot = HashBits.slot(of: hash, shift: shift)
      let index: Int

      if shift >= HashBits.all {
        if let index = unsafe node.indexInRow(of: key) {
          if !isOurs { unsafe place.pointee = node.copied() }
          return unsafe (Self(place.pointee).entries + index, false)
        }
        index = shape.entryCount
      } else if shape.childMap & slot != 0 {
        if !isOurs { unsafe place.pointee = node.copied() }
        unsafe place = Self(place.pointee).children + shape.childMap.slots(before: slot)
        shift += HashBits.perLevel
        continue
      } else if shape.entryMap & slot != 0 {
        let index = shape.entryMap.slots(before: slot)
        if unsafe node.entries[index].key == key {
          if !isOurs { unsafe place.pointee = node.copied() }
          return unsafe (Self(place.pointee).entries + index, false)
        }
        let new = Entry(key, value(), mark)
        return unsafe (node.split(index, slot, new, hash, shift, at: place, isOurs: isOurs), true)
      } else {
        index = shape.entryMap.slots(before: slot)
        shape.entryMap |= slot
      }

      let new = Entry(key, value(), mark)
      shape.entryCount += 1
      unsafe place.pointee = node.reshaped(shape, taking: isOurs, entries: .gap(at: index))
      let entry = unsafe Self(place.pointee).entries + index
      unsafe entry.initialize(to: new)
      return unsafe (entry, true)
    }
  }

  /// Where the entry with a mark stands, which is there, in nodes that nobody else holds: to be written there.
  ///
  /// Nobody else may hold what `root` stands in. No key is hashed and none compared. What is released here is memory
  /// alone: whatever it held, the copy holds too.
  @inlinable
  static func ownEntry(
    at mark: EntryMark,
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
        guard let index = unsafe node.indexInRow(where: { unsafe $0.pointee.mark == mark }) else {
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

  /// Puts an entry and another one of the same slot into a child.
  @inlinable
  func split(
    _ index: Int,
    _ slot: UInt32,
    _ new: consuming Entry,
    _ hash: UInt,
    _ shift: Int,
    at place: UnsafeMutablePointer<HashNode>,
    isOurs: Bool
  ) -> UnsafeMutablePointer<Entry> {
    var shape = unsafe shape
    let childIndex = shape.childMap.slots(before: slot)
    let old = unsafe take(index, moving: isOurs)
    let oldHash = HashBits.of(old.key)
    let pair = unsafe Self.pair(old, oldHash, new, hash, shift: shift + HashBits.perLevel)
    shape.entryMap ^= slot
    shape.entryCount -= 1
    shape.childMap |= slot
    shape.childCount += 1
    unsafe place.pointee = reshaped(
      shape,
      taking: isOurs,
      children: .gap(at: childIndex),
      entries: .without(index)
    )
    unsafe (Self(place.pointee).children + childIndex).initialize(to: pair.node)
    return unsafe pair.second
  }

  /// Removes the entry of a key that is there, and returns its value, unless that has been taken out of it.
  ///
  /// Nobody else may hold what `root` stands in; if the value has been taken, nor any node on the way to it.
  @inlinable
  static func removeEntry(
    of key: Key,
    hash: UInt,
    in root: UnsafeMutablePointer<HashNode>,
    valueIsTaken: Bool = false
  ) -> Value? {
    var place = unsafe root
    var shift = 0
    // The last node on the way that holds more than the way, and how many bits were used up there.
    var fork = unsafe (place: root, shift: 0)
    while true {
      let isOurs = unsafe isKnownUniquelyReferenced(&place.pointee)
      let node = unsafe Self(place.pointee)
      var shape = unsafe node.shape
      let slot = HashBits.slot(of: hash, shift: shift)

      if shift < HashBits.all, shape.childMap & slot != 0 {
        if shape.entryCount + shape.childCount > 1 { unsafe fork = (place, shift) }
        if !isOurs { unsafe place.pointee = node.copied() }
        unsafe place = Self(place.pointee).children + shape.childMap.slots(before: slot)
        shift += HashBits.perLevel
        continue
      }

      let isRow = shift >= HashBits.all
      guard let index = unsafe isRow ? node.indexInRow(of: key) : shape.entryMap.slots(before: slot) else {
        preconditionFailure("a key that is to be removed is not there")
      }
      let value = unsafe node.takeValue(index, moving: isOurs, isTaken: valueIsTaken)
      if shift > 0, shape.entryCount == 2, shape.childCount == 0 {
        let rest = unsafe node.take(1 - index, moving: isOurs)
        if isOurs { unsafe node.header.pointee.shape = HashNodeShape() }
        unsafe Self(fork.place.pointee).replaceChild(by: rest, hash, fork.shift, at: fork.place)
      } else {
        if !isRow { shape.entryMap ^= slot }
        shape.entryCount -= 1
        unsafe place.pointee = node.reshaped(shape, taking: isOurs, entries: .without(index))
      }
      return value
    }
  }

  /// Ends an entry that this node is about to lose, if nobody else holds this one, and returns its value.
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

  /// Puts the one entry that is left below a child in the child's place. Nobody else holds this node.
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
