/// Finds the differences between two hash tries, and skips the nodes that they share.
@usableFromInline
package struct DictionaryWalk<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  @usableFromInline typealias View = HashNodeView<Key, Value>

  @usableFromInline let limit: Int
  @usableFromInline package var found: [DictionaryEdit<Key, Value>] = []
  /// The number of visited nodes of both tries.
  @usableFromInline package var visitedNodes = 0

  @inlinable
  init(limit: Int) {
    self.limit = limit
  }

  /// Whether the walk has found more steps than `limit` allows. In that case the walk ends.
  @inlinable
  var isOver: Bool { found.count > limit }

  /// Compares two nodes that are at the same place of the two tries.
  @inlinable
  mutating func compare(_ oldNode: HashNode, _ newNode: HashNode, shift: Int) {
    if oldNode === newNode || isOver { return }
    defer { withExtendedLifetime((oldNode, newNode)) {} }
    visitedNodes += 2
    let (old, new) = unsafe (View(oldNode), View(newNode))
    if shift >= HashBits.all { return unsafe compareCollisionNodes(old, new) }

    let (oldShape, newShape) = unsafe (old.shape, new.shape)
    var children = oldShape.childMap & newShape.childMap
    var others = (oldShape.childMap | oldShape.entryMap | newShape.childMap | newShape.entryMap) & ~children
    while let slot = children.popFirst() {
      let oldChild = unsafe old.children + oldShape.childMap.slots(before: slot)
      let newChild = unsafe new.children + newShape.childMap.slots(before: slot)
      if unsafe oldChild.pointee !== newChild.pointee {
        unsafe compare(oldChild.pointee, newChild.pointee, shift: shift + HashBits.perLevel)
      }
    }
    while !isOver, let slot = others.popFirst() {
      switch unsafe (old.content(of: slot), new.content(of: slot)) {
      case (.entry(let old), .entry(let new)): unsafe compare(old.pointee, new.pointee)
      case (.entry(let old), .child(let new)): unsafe compare(old.pointee, new)
      case (.child(let old), .entry(let new)): unsafe compare(old, new.pointee)
      case (.entry(let old), .nothing): unsafe removed(old.pointee)
      case (.child(let old), .nothing): removed(old)
      case (.nothing, .entry(let new)): unsafe inserted(new.pointee)
      case (.nothing, .child(let new)): inserted(new)
      case (.nothing, .nothing), (.child, .child): break
      }
    }
  }

  /// Compares two entries in the same slot, whose keys may differ.
  @inlinable
  mutating func compare(_ old: View.Entry, _ new: View.Entry) {
    if old.writeID == new.writeID { return }
    if old.key == new.key { return updated(old, new) }
    removed(old)
    inserted(new)
  }

  /// Compares an old entry with the new node in the same slot.
  @inlinable
  mutating func compare(_ old: View.Entry, _ newNode: HashNode) {
    var isLeft = false
    forEach(in: newNode) { walk, new in
      if isLeft || old.writeID != new.writeID && old.key != new.key { return walk.inserted(new) }
      isLeft = true
      walk.compare(old, new)
    }
    if !isLeft { removed(old) }
  }

  /// Compares an old node with the new entry in the same slot.
  @inlinable
  mutating func compare(_ oldNode: HashNode, _ new: View.Entry) {
    var wasThere = false
    forEach(in: oldNode) { walk, old in
      if wasThere || old.writeID != new.writeID && old.key != new.key { return walk.removed(old) }
      wasThere = true
      walk.compare(old, new)
    }
    if !wasThere { inserted(new) }
  }

  /// Compares two collision nodes: at their depth all bits of the hash are used up.
  @inlinable
  mutating func compareCollisionNodes(_ old: View, _ new: View) {
    let (oldCount, newCount) = unsafe (old.shape.entryCount, new.shape.entryCount)
    for index in 0..<newCount {
      let entry = unsafe new.entries[index]
      if let oldIndex = unsafe old.indexInCollisionNode(of: entry.key) {
        unsafe compare(old.entries[oldIndex], entry)
      } else {
        inserted(entry)
      }
    }
    for index in 0..<oldCount {
      let entry = unsafe old.entries[index]
      if unsafe new.indexInCollisionNode(of: entry.key) == nil { removed(entry) }
    }
  }
}

// MARK: - What is found

extension DictionaryWalk {
  @inlinable
  mutating func inserted(_ entry: View.Entry) {
    if !isOver { found.append(.insert(key: entry.key, value: entry.value)) }
  }

  @inlinable
  mutating func updated(_ old: View.Entry, _ new: View.Entry) {
    if !isOver { found.append(.update(key: new.key, value: new.value, old: old.value)) }
  }

  @inlinable
  mutating func removed(_ entry: View.Entry) {
    if !isOver { found.append(.remove(key: entry.key, value: entry.value)) }
  }

  @inlinable
  mutating func inserted(_ node: HashNode) {
    forEach(in: node) { $0.inserted($1) }
  }

  @inlinable
  mutating func removed(_ node: HashNode) {
    forEach(in: node) { $0.removed($1) }
  }

  @inlinable
  mutating func forEach(in node: HashNode, _ body: (inout Self, View.Entry) -> Void) {
    if isOver { return }
    visitedNodes += 1
    withExtendedLifetime(node) {
      let view = unsafe View(node)
      let shape = unsafe view.shape
      for index in 0..<shape.entryCount { body(&self, unsafe view.entries[index]) }
      for index in 0..<shape.childCount { forEach(in: unsafe view.children[index], body) }
    }
  }
}

extension HashNodeView {
  @usableFromInline
  @unsafe
  enum Content {
    case nothing
    case entry(UnsafeMutablePointer<Entry>)
    case child(HashNode)
  }

  @inlinable
  func content(of slot: UInt32) -> Content {
    let shape = unsafe shape
    if shape.entryMap & slot != 0 { return unsafe .entry(entries + shape.entryMap.slots(before: slot)) }
    if shape.childMap & slot != 0 { return unsafe .child(children[shape.childMap.slots(before: slot)]) }
    return unsafe .nothing
  }
}

@available(*, unavailable)
extension HashNodeView.Content: Sendable {}
