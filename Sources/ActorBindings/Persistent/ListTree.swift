/// A list of items, as a tree whose copies share nodes (copy-on-write).
///
/// All leaves are at the same depth. Three costs grow with the logarithm of the number of items: the cost of looking up
/// an item, of changing an item, and of computing the weight of the items before an offset.
@usableFromInline
struct ListTree<Item: ListItem>: Sendable {
  @usableFromInline typealias Node = ListNode<Item>

  @usableFromInline var root: Node
  @usableFromInline var count: Int

  /// Creates a tree of these items.
  @inlinable
  init(_ items: some Sequence<Item>) {
    var level: [Node] = []
    var leaf: ContiguousArray<Item> = []
    count = 0
    for item in items {
      if leaf.count == Node.maxItems {
        level.append(Node(items: leaf))
        leaf.removeAll(keepingCapacity: true)
      }
      leaf.append(item)
      count += 1
    }
    level.append(Node(items: leaf))
    while level.count > 1 {
      level = stride(from: 0, to: level.count, by: Node.maxChildren).map { start in
        let children = level[start..<Swift.min(start + Node.maxChildren, level.count)].map { Node.Child($0) }
        return Node(children: ContiguousArray(children), height: level[start].height + 1)
      }
    }
    root = level[0]
  }

  @inlinable
  init() {
    root = Node(items: [])
    count = 0
  }
}

// MARK: - Looking

extension ListTree {
  @inlinable
  subscript(offset: Int) -> Item {
    let (leaf, offset) = root.leaf(at: offset)
    return unsafe leaf.items[offset]
  }

  /// Returns the total weight of the items before `offset`.
  @inlinable
  func weight(before offset: Int) -> Int {
    var (node, offset, weight) = (root, offset, 0)
    while !node.isLeaf {
      let child = node.child(at: offset)
      weight += unsafe node.children[..<child.index].reduce(0) { $0 + $1.weight }
      node = unsafe node.children[child.index].node
      offset = child.offset
    }
    return unsafe weight + node.items[..<offset].reduce(0) { $0 + $1.weight }
  }

  /// Returns the first offset at which the total weight of the items before it is `weight` or more, and the excess over
  /// `weight` (`rest`). If the total weight of the tree is less than `weight`, `rest` is negative.
  @inlinable
  func offset(behind weight: Int) -> (offset: Int, rest: Int) {
    var (node, offset, missing) = (root, 0, weight)
    while !node.isLeaf {
      var index = 0
      while unsafe index < node.children.count - 1 && node.children[index].weight < missing {
        unsafe missing -= node.children[index].weight
        unsafe offset += node.children[index].count
        index += 1
      }
      node = unsafe node.children[index].node
    }
    for item in unsafe node.items {
      if missing <= 0 { break }
      missing -= item.weight
      offset += 1
    }
    return (offset, -missing)
  }
}

extension ListTree: Sequence {
  @usableFromInline
  struct Iterator: IteratorProtocol, Sendable {
    @usableFromInline let tree: ListTree
    @usableFromInline var leaf: Node
    @usableFromInline var offset = 0
    // The offset at which the next leaf begins.
    @usableFromInline var end: Int

    @inlinable
    init(_ tree: ListTree) {
      self.tree = tree
      leaf = tree.root.leaf(at: 0).leaf
      end = leaf.width
    }

    @inlinable
    mutating func next() -> Item? {
      if offset == leaf.width {
        if end == tree.count { return nil }
        leaf = tree.root.leaf(at: end).leaf
        end += leaf.width
        offset = 0
      }
      defer { offset += 1 }
      return unsafe leaf.items[offset]
    }
  }

  @inlinable
  func makeIterator() -> Iterator { Iterator(self) }
}

// MARK: - Changing

extension ListTree {
  @inlinable
  mutating func insert(_ item: Item, at offset: Int) {
    let second = ThreadSanitizer.secondReference(to: root)
    defer { ThreadSanitizer.release(second) }
    let sibling = Node.insert(item, at: offset == count ? Node.end : offset, into: &root)
    count += 1
    if let sibling {
      root = Node(children: [Node.Child(root), Node.Child(sibling)], height: root.height + 1)
    }
  }

  @inlinable
  mutating func remove(at offset: Int) -> Item {
    let second = ThreadSanitizer.secondReference(to: root)
    defer { ThreadSanitizer.release(second) }
    let item = Node.remove(at: offset, from: &root)
    count -= 1
    while !root.isLeaf, root.width <= 1 {
      root = unsafe root.children.first?.node ?? Node(items: [])
    }
    return item
  }

  /// Replaces the item at `offset`. Returns the former item.
  @inlinable
  @discardableResult
  mutating func replace(at offset: Int, with item: Item) -> Item {
    let second = ThreadSanitizer.secondReference(to: root)
    defer { ThreadSanitizer.release(second) }
    return Node.replace(at: offset, with: item, in: &root)
  }
}

extension ListTree {
  /// Traps if the tree violates an invariant. Tests call this.
  func checkInvariants() {
    precondition(root.sum.count == count, "\(count) items are counted, there are \(root.sum.count)")
    root.checkInvariants()
  }
}
