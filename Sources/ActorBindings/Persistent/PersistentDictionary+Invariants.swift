extension PersistentDictionary {
  /// Traps if the trie violates an invariant. The shape of the trie depends only on the keys, not on earlier writes.
  package func checkInvariants() {
    var writeIDs: Set<WriteID> = []
    let entries = storage.map { Self.check($0.root, prefix: 0, shift: 0, &writeIDs) } ?? 0
    precondition(entries == count, "a dictionary counts \(count) entries, and has \(entries)")
    precondition(storage == nil || count > 0, "an empty dictionary has a storage")
    precondition(writeIDs.count == count, "two entries have the same write ID")
  }

  /// Checks a node, and returns the number of entries in this node and below it. The hashes of their keys must begin
  /// with `prefix`.
  private static func check(_ node: HashNode, prefix: UInt, shift: Int, _ writeIDs: inout Set<WriteID>) -> Int
  {
    let view = unsafe View(node)
    let shape = unsafe view.shape
    let isCollisionNode = shift >= HashBits.all
    precondition(shape.entryMap & shape.childMap == 0, "a slot holds an entry and a child")
    precondition(shape.childMap.nonzeroBitCount == shape.childCount, "the children are not those of the map")
    precondition(
      isCollisionNode || shape.entryMap.nonzeroBitCount == shape.entryCount,
      "the entries are not those of the map"
    )
    precondition(!isCollisionNode || shape.entryMap == 0 && shape.childMap == 0, "a collision node has slots")

    var keys: Set<Key> = []
    for index in 0..<shape.entryCount {
      let entry = unsafe view.entries[index]
      let hash = HashBits.of(entry.key)
      precondition(keys.insert(entry.key).inserted, "a key is there twice")
      precondition(
        isCollisionNode ? hash == prefix : hash & ~(.max << UInt(shift)) == prefix,
        "an entry is below a wrong node"
      )
      precondition(
        isCollisionNode || shape.entryMap.slots(before: HashBits.slot(of: hash, shift: shift)) == index,
        "an entry is in a wrong slot"
      )
      writeIDs.insert(entry.writeID)
    }

    var count = shape.entryCount
    var slots = shape.childMap
    for index in 0..<shape.childCount {
      guard let slot = slots.popFirst() else { break }
      let prefix = prefix | UInt(slot.trailingZeroBitCount) << UInt(shift)
      count += check(unsafe view.children[index], prefix: prefix, shift: shift + HashBits.perLevel, &writeIDs)
    }
    precondition(shift == 0 || count > 1, "a node below the first holds fewer than two entries")
    return count
  }
}
