/// An element, and which one it is: no other slot ever has its number, but for its copies.
@usableFromInline
struct ListSlot<Element: Sendable>: Sendable {
  @usableFromInline let identity: UInt64
  @usableFromInline let element: Element

  @inlinable
  init(_ element: Element, identity: UInt64) {
    self.element = element
    self.identity = identity
  }
}

/// A node of the tree of a `PersistentArray`. All leaves are at the same depth.
///
/// It may be part of any number of trees. Who holds the only reference to it, and to all that are above it, may change
/// it in place; everybody else makes a copy first.
// @unchecked: it is changed by who alone holds it.
@usableFromInline
final class ListNode<Element: Sendable>: @unchecked Sendable {
  @usableFromInline typealias Slot = ListSlot<Element>

  /// A node, and how many elements there are under it.
  @usableFromInline
  struct Child: Sendable {
    @usableFromInline var node: ListNode
    @usableFromInline var count: Int

    @inlinable
    init(_ node: ListNode, count: Int) {
      self.node = node
      self.count = count
    }

    @inlinable
    init(_ node: ListNode) {
      self.init(node, count: node.sum)
    }
  }

  // A leaf has slots, all others have children.
  @exclusivity(unchecked) @usableFromInline var slots: ContiguousArray<Slot>
  @exclusivity(unchecked) @usableFromInline var children: ContiguousArray<Child>
  /// Zero for a leaf.
  @usableFromInline let height: UInt8

  @inlinable static var maxSlots: Int { 32 }
  @inlinable static var maxChildren: Int { 16 }

  @inlinable
  init(slots: ContiguousArray<Slot>) {
    unsafe self.slots = slots
    unsafe children = []
    height = 0
  }

  @inlinable
  init(children: ContiguousArray<Child>, height: UInt8) {
    unsafe slots = []
    unsafe self.children = children
    self.height = height
  }

  @inlinable
  init(copy other: ListNode) {
    unsafe slots = other.slots
    unsafe children = other.children
    height = other.height
  }

  @inlinable var isLeaf: Bool { height == 0 }
  @inlinable var sum: Int { isLeaf ? unsafe slots.count : unsafe children.reduce(0) { $0 + $1.count } }
  /// How many slots or children it has.
  @inlinable var width: Int { isLeaf ? unsafe slots.count : unsafe children.count }
  @inlinable var maxWidth: Int { isLeaf ? Self.maxSlots : Self.maxChildren }
}

// MARK: - Looking

extension ListNode {
  /// Which child has the element at `offset`, and where it is there. An offset behind the last one is in the last child.
  @inlinable
  func child(at offset: Int) -> (index: Int, offset: Int) {
    var (index, offset) = (0, offset)
    unsafe children.withUnsafeBufferPointer { children in
      while index < children.count - 1, unsafe offset >= children[index].count {
        unsafe offset -= children[index].count
        index += 1
      }
    }
    return (index, offset)
  }

  /// The leaf that has the element at `offset`, and where it is there.
  @inlinable
  func leaf(at offset: Int) -> (leaf: ListNode, offset: Int) {
    var (node, offset) = (self, offset)
    while !node.isLeaf {
      let child = node.child(at: offset)
      node = unsafe node.children[child.index].node
      offset = child.offset
    }
    return (node, offset)
  }
}

// MARK: - Changing

extension ListNode {
  @inlinable
  static func makeUnique(_ node: inout ListNode) {
    if !isKnownUniquelyReferenced(&node) { node = ListNode(copy: node) }
  }

  /// Inserts a slot. Returns the node that must follow this one, if it had to be split.
  @inlinable
  static func insert(_ slot: Slot, at offset: Int, into node: inout ListNode) -> ListNode? {
    makeUnique(&node)
    if node.isLeaf {
      unsafe node.slots.insert(slot, at: offset)
      return node.splitIfTooWide(after: offset)
    }
    let (index, offset) = node.child(at: offset)
    unsafe node.children[index].count += 1
    guard let sibling = unsafe insert(slot, at: offset, into: &node.children[index].node) else { return nil }
    let new = Child(sibling)
    unsafe node.children[index].count -= new.count
    unsafe node.children.insert(new, at: index + 1)
    return node.splitIfTooWide(after: index + 1)
  }

  // Something was inserted at `index`. What grows at its end is split there, so that it leaves full nodes behind.
  @inlinable
  func splitIfTooWide(after index: Int) -> ListNode? {
    if width <= maxWidth { return nil }
    let middle = index == maxWidth ? maxWidth : (maxWidth + 1) / 2
    if isLeaf {
      let right = unsafe ListNode(slots: ContiguousArray(slots[middle...]))
      unsafe slots.removeSubrange(middle...)
      return right
    }
    let right = unsafe ListNode(children: ContiguousArray(children[middle...]), height: height)
    unsafe children.removeSubrange(middle...)
    return right
  }

  /// Removes a slot. The node may have nothing left.
  @inlinable
  static func remove(at offset: Int, from node: inout ListNode) -> Slot {
    makeUnique(&node)
    if node.isLeaf { return unsafe node.slots.remove(at: offset) }
    let (index, offset) = node.child(at: offset)
    let slot = unsafe remove(at: offset, from: &node.children[index].node)
    unsafe node.children[index].count -= 1
    node.joinIfTooNarrow(index)
    return slot
  }

  // A child that has little left joins one beside it, if that has room.
  @inlinable
  func joinIfTooNarrow(_ index: Int) {
    let child = unsafe children[index].node
    if child.width == 0 {
      unsafe children.remove(at: index)
    } else if child.width <= child.maxWidth / 4, unsafe children.count > 1 {
      let left = index == 0 ? 0 : index - 1
      let room = unsafe child.maxWidth - children[left].node.width
      guard unsafe room >= children[left + 1].node.width else { return }
      let right = unsafe children.remove(at: left + 1)
      unsafe Self.makeUnique(&children[left].node)
      unsafe children[left].node.slots += right.node.slots
      unsafe children[left].node.children += right.node.children
      unsafe children[left].count += right.count
    }
  }

  /// Replaces a slot, and returns the one that was there.
  @inlinable
  static func replace(at offset: Int, with slot: Slot, in node: inout ListNode) -> Slot {
    makeUnique(&node)
    if node.isLeaf {
      var slot = slot
      unsafe swap(&node.slots[offset], &slot)
      return slot
    }
    let (index, offset) = node.child(at: offset)
    return unsafe replace(at: offset, with: slot, in: &node.children[index].node)
  }

  /// A tree of these slots.
  @inlinable
  static func tree(of slots: some Sequence<Slot>) -> ListNode {
    var level: [ListNode] = []
    var leaf: ContiguousArray<Slot> = []
    for slot in slots {
      if leaf.count == maxSlots {
        level.append(ListNode(slots: leaf))
        leaf.removeAll(keepingCapacity: true)
      }
      leaf.append(slot)
    }
    level.append(ListNode(slots: leaf))
    while level.count > 1 {
      level = stride(from: 0, to: level.count, by: maxChildren).map { start in
        let children = level[start..<min(start + maxChildren, level.count)].map { Child($0) }
        return ListNode(children: ContiguousArray(children), height: level[start].height + 1)
      }
    }
    return level[0]
  }
}

extension ListNode {
  /// Holds after every change, for this node and those under it.
  func checkInvariants() {
    precondition(width <= maxWidth, "a node is too wide")
    for child in unsafe children {
      precondition(child.node.height + 1 == height, "the leaves are not at one depth")
      precondition(
        child.count == child.node.sum && child.count > 0,
        "a node counts \(child.count) of \(child.node.sum)"
      )
      child.node.checkInvariants()
    }
  }
}
