extension PersistentDictionary: Equatable where Value: Equatable {
  /// Returns whether two dictionaries have the same keys and equal values. Skips the nodes that the dictionaries share.
  @inlinable
  public static func == (left: Self, right: Self) -> Bool {
    guard left.count == right.count else { return false }
    guard let a = left.storage, let b = right.storage else { return true }
    return a === b || areEqual(a.root, b.root, shift: 0)
  }

  // Equal dictionaries have nodes of the same shapes.
  @inlinable
  static func areEqual(_ left: HashNode, _ right: HashNode, shift: Int) -> Bool {
    if left === right { return true }
    return withExtendedLifetime((left, right)) {
      let (a, b) = unsafe (View(left), View(right))
      let shape = unsafe a.shape
      guard unsafe shape == b.shape else { return false }
      let isCollisionNode = shift >= HashBits.all
      for index in 0..<shape.entryCount {
        let entry = unsafe a.entries[index]
        guard let other = unsafe isCollisionNode ? b.indexInCollisionNode(of: entry.key) : index else {
          return false
        }
        guard unsafe entry.isEqual(to: b.entries[other]) else { return false }
      }
      for index in 0..<shape.childCount {
        let (child, other) = unsafe (a.children[index], b.children[index])
        guard areEqual(child, other, shift: shift + HashBits.perLevel) else { return false }
      }
      return true
    }
  }
}

extension DictionaryEntry where Key: Equatable, Value: Equatable {
  @inlinable
  func isEqual(to other: Self) -> Bool {
    writeID == other.writeID || key == other.key && value == other.value
  }
}

extension PersistentDictionary: Hashable where Value: Hashable {
  /// Feeds the entries to `hasher`, in a way that does not depend on their order.
  @inlinable
  public func hash(into hasher: inout Hasher) {
    // The order of the entries must not matter, so this combines their hashes by exclusive or.
    var sum = 0
    for (key, value) in self {
      var entry = hasher
      entry.combine(key)
      entry.combine(value)
      sum ^= entry.finalize()
    }
    hasher.combine(sum)
  }
}

extension PersistentDictionary: CustomStringConvertible {
  /// The entries, written as Swift's `Dictionary` writes them.
  public var description: String {
    if isEmpty { return "[:]" }
    var text = "["
    for (key, value) in self {
      if text.utf8.count > 1 { text += ", " }
      debugPrint(key, terminator: ": ", to: &text)
      debugPrint(value, terminator: "", to: &text)
    }
    return text + "]"
  }
}
