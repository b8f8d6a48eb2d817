/// An item in the leaves of a `ListTree`.
@usableFromInline
protocol ListItem: Sendable {
  /// The weight that the item adds to the nodes above it.
  var weight: Int { get }
}

/// A node of a `ListTree`.
///
/// A node may be part of any number of trees (copy-on-write). A writer that holds the only reference to the node, and
/// to all nodes above it, may change the node in place. Any other writer makes a copy first.
// @unchecked: only a writer that holds the only reference changes the node.
@usableFromInline
final class ListNode<Item: ListItem>: @unchecked Sendable {
  /// A node, with the number and the weight of the items under it.
  @usableFromInline
  struct Child: Sendable {
    @usableFromInline var node: ListNode
    @usableFromInline var count: Int
    @usableFromInline var weight: Int

    @inlinable
    init(_ node: ListNode) {
      self.node = node
      (count, weight) = node.sum
    }
  }

  // A leaf has items. Every other node has children.
  @exclusivity(unchecked) @usableFromInline var items: ContiguousArray<Item>
  @exclusivity(unchecked) @usableFromInline var children: ContiguousArray<Child>
  /// Zero for a leaf.
  @usableFromInline let height: UInt8

  @inlinable static var maxItems: Int { 32 }
  @inlinable static var maxChildren: Int { 16 }

  @inlinable
  init(items: ContiguousArray<Item>) {
    unsafe self.items = items
    unsafe children = []
    height = 0
  }

  @inlinable
  init(children: ContiguousArray<Child>, height: UInt8) {
    unsafe items = []
    unsafe self.children = children
    self.height = height
  }

  @inlinable
  init(copy other: ListNode) {
    unsafe items = other.items
    unsafe children = other.children
    height = other.height
  }

  @inlinable var isLeaf: Bool { height == 0 }
  /// The number and the weight of the items under the node.
  @inlinable var sum: (count: Int, weight: Int) {
    if isLeaf { return unsafe (items.count, items.reduce(0) { $0 + $1.weight }) }
    return unsafe children.reduce((0, 0)) { ($0.0 + $1.count, $0.1 + $1.weight) }
  }
  /// The number of items or of children.
  @inlinable var width: Int { isLeaf ? unsafe items.count : unsafe children.count }
  @inlinable var maxWidth: Int { isLeaf ? Self.maxItems : Self.maxChildren }
}

// MARK: - Looking

extension ListNode {
  /// An offset behind the last item. With this offset, `insert` need not count the items.
  @inlinable static var end: Int { .max }

  /// Returns the index of the child that has the item at `offset`, and the item's offset in this child. An offset
  /// behind the last item belongs to the last child.
  @inlinable
  func child(at offset: Int) -> (index: Int, offset: Int) {
    if offset == Self.end { return unsafe (children.count - 1, offset) }
    var (index, offset) = (0, offset)
    unsafe children.withUnsafeBufferPointer { children in
      while index < children.count - 1, unsafe offset >= children[index].count {
        unsafe offset -= children[index].count
        index += 1
      }
    }
    return (index, offset)
  }

  /// Returns the leaf that has the item at `offset`, and the item's offset in this leaf.
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

  // Accesses the array of children only once, because each access checks whether the array is shared.
  @inlinable
  @inline(__always)
  func withChild<Result>(_ index: Int, _ body: (inout Child) -> Result) -> Result {
    unsafe children.withUnsafeMutableBufferPointer { children in
      unsafe body(&children[index])
    }
  }

  /// Inserts an item. If this splits the node, returns the second part, which the caller must insert after the first.
  @inlinable
  static func insert(_ item: Item, at offset: Int, into node: inout ListNode) -> ListNode? {
    makeUnique(&node)
    if node.isLeaf {
      let index = unsafe Swift.min(offset, node.items.count)
      return unsafe node.items.insert(item, at: index, limit: maxItems).map { ListNode(items: $0) }
    }
    let (index, offset) = node.child(at: offset)
    let sibling = node.withChild(index) { child in
      child.count += 1
      child.weight += item.weight
      return insert(item, at: offset, into: &child.node)
    }
    guard let sibling else { return nil }
    let new = Child(sibling)
    unsafe node.children[index].count -= new.count
    unsafe node.children[index].weight -= new.weight
    return unsafe node.children.insert(new, at: index + 1, limit: maxChildren)
      .map { ListNode(children: $0, height: node.height) }
  }

  /// Removes an item. The node may be empty afterwards.
  @inlinable
  static func remove(at offset: Int, from node: inout ListNode) -> Item {
    makeUnique(&node)
    if node.isLeaf { return unsafe node.items.remove(at: offset) }
    let (index, offset) = node.child(at: offset)
    let item = node.withChild(index) { child in
      let item = remove(at: offset, from: &child.node)
      child.count -= 1
      child.weight -= item.weight
      return item
    }
    node.joinIfTooNarrow(index)
    return item
  }

  // Removes an empty child. Merges a narrow child with a neighbour if both fit in one node.
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
      unsafe children[left].node.items += right.node.items
      unsafe children[left].node.children += right.node.children
      unsafe children[left].count += right.count
      unsafe children[left].weight += right.weight
    }
  }

  /// Replaces an item, and returns the former item.
  @inlinable
  static func replace(at offset: Int, with item: Item, in node: inout ListNode) -> Item {
    makeUnique(&node)
    if node.isLeaf {
      var item = item
      unsafe swap(&node.items[offset], &item)
      return item
    }
    let (index, offset) = node.child(at: offset)
    return node.withChild(index) { child in
      let old = replace(at: offset, with: item, in: &child.node)
      child.weight += item.weight - old.weight
      return old
    }
  }
}

extension ListNode {
  /// Traps if this node or a node under it violates an invariant.
  func checkInvariants() {
    precondition(width <= maxWidth, "a node is too wide")
    for child in unsafe children {
      precondition(child.node.height + 1 == height, "the leaves are not at one depth")
      let sum = child.node.sum
      precondition(
        child.count == sum.count && child.count > 0,
        "a node counts \(child.count) of \(sum.count) items"
      )
      precondition(child.weight == sum.weight, "a node finds \(sum.weight) to weigh \(child.weight)")
      child.node.checkInvariants()
    }
  }
}

extension ContiguousArray {
  /// Inserts an element. If the array already has `limit` elements, splits it, and returns the second part. An
  /// insertion at the end splits the array at the end, so the first part stays full.
  @inlinable
  mutating func insert(_ element: Element, at index: Int, limit: Int) -> ContiguousArray? {
    if count < limit {
      // At the end of the array, `append` takes half as long as `insert`.
      if index == count { append(element) } else { insert(element, at: index) }
      return nil
    }
    let middle = index == limit ? limit : limit / 2
    var rest = ContiguousArray()
    rest.reserveCapacity(limit)
    rest += self[middle...]
    removeSubrange(middle...)
    if index < middle { insert(element, at: index) } else { rest.insert(element, at: index - middle) }
    return rest
  }
}
