import Synchronization

/// An array whose copies share what they have in common: what a `BindableArray` holds.
///
/// ```swift
/// let before = board.value                  // costs nothing, however long it is
/// board.append("milk")
/// board.value.edits(from: before)           // [.insert(offset: 3, element: "milk")]
/// ```
///
/// To copy it and to keep the copy costs nothing; to change a copy costs what is changed, and a little that grows with
/// the logarithm of its length. So does finding out what differs between two of them. Everything else is as with
/// `Array`: it is a value, its indices count from zero, and those that do not exist trap.
public struct PersistentArray<Element: Sendable>: Sendable {
  @usableFromInline typealias Node = ListNode<Element>
  @usableFromInline typealias Slot = ListSlot<Element>

  @usableFromInline var root: Node
  @usableFromInline var length = 0

  // Numbers for new slots. They are this array's own as long as it alone holds its root: of several copies, who
  // changes his first takes new numbers.
  @usableFromInline var identities: Range<UInt64> = 0..<0

  /// An empty array.
  @inlinable
  public init() {
    root = Node(slots: [])
  }

  /// An array of these elements.
  @inlinable
  public init(_ elements: some Sequence<Element>) {
    self.init()
    let numbered = elements.map { element in
      length += 1
      return Slot(element, identity: nextIdentity())
    }
    root = Node.tree(of: numbered)
  }
}

// MARK: - Changing

extension PersistentArray {
  // Before each change.
  @inlinable
  mutating func willChange() {
    if isKnownUniquelyReferenced(&root) { return }
    root = Node(copy: root)
    identities = 0..<0
  }

  @inlinable
  mutating func nextIdentity() -> UInt64 {
    if identities.isEmpty { identities = freshIdentities() }
    defer { identities = (identities.lowerBound + 1)..<identities.upperBound }
    return identities.lowerBound
  }

  @inlinable
  mutating func insert(_ slot: Slot, at offset: Int) {
    length += 1
    if let sibling = Node.insert(slot, at: offset, into: &root) {
      root = Node(children: [Node.Child(root), Node.Child(sibling)], height: root.height + 1)
    }
  }

  @inlinable
  mutating func removeSlot(at offset: Int) -> Slot {
    let slot = Node.remove(at: offset, from: &root)
    length -= 1
    while !root.isLeaf, root.width <= 1 {
      root = unsafe root.children.first?.node ?? Node(slots: [])
    }
    return slot
  }

  /// Moves the element at `source`, so that it is at `destination` then.
  ///
  /// ```swift
  /// var letters: PersistentArray = ["a", "b", "c"]
  /// letters.move(from: 0, to: 2)              // b, c, a
  /// ```
  @inlinable
  public mutating func move(from source: Int, to destination: Int) {
    checkElement(at: source)
    precondition(
      destination >= 0 && destination < count,
      "there is no place \(destination) among \(count) elements"
    )
    willChange()
    let slot = removeSlot(at: source)
    insert(slot, at: destination)
  }

  /// Replaces the element at `index`.
  ///
  /// - Returns: What was there.
  @inlinable
  @discardableResult
  public mutating func update(_ element: Element, at index: Int) -> Element {
    checkElement(at: index)
    willChange()
    return Node.replace(at: index, with: Slot(element, identity: nextIdentity()), in: &root).element
  }

  /// Sorts the elements. Each stays the one that it was: it is moved, not replaced.
  @inlinable
  public mutating func sort(by areInIncreasingOrder: (Element, Element) throws -> Bool) rethrows {
    let sorted = try slots.sorted { try areInIncreasingOrder($0.element, $1.element) }
    willChange()
    root = Node.tree(of: sorted)
  }

  @inlinable
  func checkElement(at index: Int) {
    precondition(index >= 0 && index < count, "there is no element \(index) among \(count)")
  }
}

extension PersistentArray where Element: Comparable {
  /// Sorts the elements. Each stays the one that it was: it is moved, not replaced.
  @inlinable
  public mutating func sort() {
    sort(by: <)
  }
}

// MARK: - As a collection

extension PersistentArray: RandomAccessCollection, MutableCollection {
  /// The number of elements.
  @inlinable public var count: Int { length }
  /// Zero.
  @inlinable public var startIndex: Int { 0 }
  /// The number of elements.
  @inlinable public var endIndex: Int { count }

  /// The element at `index`.
  @inlinable
  public subscript(index: Int) -> Element {
    get {
      checkElement(at: index)
      let (leaf, offset) = root.leaf(at: index)
      return unsafe leaf.slots[offset].element
    }
    set { update(newValue, at: index) }
  }

  /// Exchanges two elements. Each stays the one that it was: it is moved, not replaced.
  @inlinable
  public mutating func swapAt(_ i: Int, _ j: Int) {
    checkElement(at: i)
    checkElement(at: j)
    if i == j { return }
    willChange()
    let slot = slot(at: i)
    let other = Node.replace(at: j, with: slot, in: &root)
    _ = Node.replace(at: i, with: other, in: &root)
  }

  @inlinable
  func slot(at index: Int) -> Slot {
    let (leaf, offset) = root.leaf(at: index)
    return unsafe leaf.slots[offset]
  }
}

extension PersistentArray: RangeReplaceableCollection {
  /// Replaces a range by other elements.
  @inlinable
  public mutating func replaceSubrange(_ range: Range<Int>, with elements: some Collection<Element>) {
    precondition(
      range.lowerBound >= 0 && range.upperBound <= count,
      "there is no range \(range) among \(count) elements"
    )
    willChange()
    for index in range.reversed() { _ = removeSlot(at: index) }
    for (index, element) in elements.enumerated() {
      insert(Slot(element, identity: nextIdentity()), at: range.lowerBound + index)
    }
  }

  /// Adds an element at the end.
  @inlinable
  public mutating func append(_ element: Element) {
    willChange()
    insert(Slot(element, identity: nextIdentity()), at: count)
  }

  /// Inserts an element before the one at `index`, or at the end.
  @inlinable
  public mutating func insert(_ element: Element, at index: Int) {
    precondition(index >= 0 && index <= count, "there is no place \(index) among \(count) elements")
    willChange()
    insert(Slot(element, identity: nextIdentity()), at: index)
  }

  /// Removes the element at `index`.
  @inlinable
  @discardableResult
  public mutating func remove(at index: Int) -> Element {
    checkElement(at: index)
    willChange()
    return removeSlot(at: index).element
  }

  /// Removes all elements.
  @inlinable
  public mutating func removeAll(keepingCapacity: Bool = false) {
    self = PersistentArray()
  }
}

extension PersistentArray: Sequence {
  /// Goes through the elements as they were when it was made.
  public struct Iterator: IteratorProtocol, Sendable {
    @usableFromInline var slots: SlotIterator

    @inlinable
    init(_ slots: SlotIterator) {
      self.slots = slots
    }

    /// The next element.
    @inlinable
    public mutating func next() -> Element? { slots.next()?.element }
  }

  /// An iterator over the elements.
  @inlinable
  public func makeIterator() -> Iterator { Iterator(SlotIterator(root, count: count)) }

  @usableFromInline
  struct SlotIterator: IteratorProtocol, Sequence, Sendable {
    @usableFromInline let root: Node
    @usableFromInline let count: Int
    @usableFromInline var leaf: Node
    // Of the leaf that comes next.
    @usableFromInline var start = 0
    @usableFromInline var offset = 0

    @inlinable
    init(_ root: Node, count: Int) {
      self.root = root
      self.count = count
      leaf = root.leaf(at: 0).leaf
      start = leaf.width
    }

    @inlinable
    mutating func next() -> Slot? {
      if offset == leaf.width {
        if start == count { return nil }
        leaf = root.leaf(at: start).leaf
        start += leaf.width
        offset = 0
      }
      defer { offset += 1 }
      return unsafe leaf.slots[offset]
    }
  }

  @inlinable var slots: SlotIterator { SlotIterator(root, count: count) }
}

extension PersistentArray: ExpressibleByArrayLiteral {
  /// An array of these elements.
  @inlinable
  public init(arrayLiteral elements: Element...) {
    self.init(elements)
  }
}

extension PersistentArray: Equatable where Element: Equatable {
  /// Whether both have equal elements in the same order. Copies of which neither was changed are not looked at.
  @inlinable
  public static func == (left: PersistentArray, right: PersistentArray) -> Bool {
    left.root === right.root || left.elementsEqual(right)
  }
}

extension PersistentArray: Hashable where Element: Hashable {
  /// Feeds the elements to `hasher`.
  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for element in self { hasher.combine(element) }
  }
}

extension PersistentArray: CustomStringConvertible {
  /// The elements, as an array describes them.
  public var description: String { Array(self).description }
}

// MARK: - Numbers

/// Numbers that nobody has had.
@usableFromInline
func freshIdentities() -> Range<UInt64> {
  let block = IdentityBlocks.taken.add(1, ordering: .relaxed).oldValue
  return (block << 16)..<((block + 1) << 16)
}

private enum IdentityBlocks {
  static let taken = Atomic<UInt64>(0)
}

extension PersistentArray {
  /// Holds after every change; tests call it.
  package func checkInvariants() {
    precondition(root.sum == count, "\(count) elements are counted, there are \(root.sum)")
    root.checkInvariants()
  }
}
