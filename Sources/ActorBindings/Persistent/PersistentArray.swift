/// An array whose copies share what they have in common. It is the value of a `BindableArray`.
///
/// ```swift
/// let before = board.value  // costs nothing, however long it is
/// board.append("milk")
/// board.value.edits(from: before)  // [.insert(offset: 3, element: "milk")]
/// ```
///
/// Copying the array and keeping the copy costs nothing. The cost of changing a copy grows with the size of the change,
/// and a little with the logarithm of the length. The cost of comparing two copies grows in the same way. In all other
/// respects the type behaves as `Array` does: it is a value type, its indices begin at zero, and an index that does not
/// exist ends the process. `Array(list)` creates a Swift array from a persistent array.
///
/// Each written element has a new identity, even if it equals the element that it replaces. Copies of the array have
/// the same elements, and a moved element remains the same element. `edits(from:)` compares the identities of elements,
/// and does not call `==`.
public struct PersistentArray<Element: Sendable>: Sendable {
  @usableFromInline typealias Slot = ListSlot<Element>

  @usableFromInline var slots: ListTree<Slot>

  // The write IDs for new slots. This array may use these write IDs only while it holds the only reference to its root.
  // A copy that shares its root takes new write IDs before it changes: see `willChange`.
  @usableFromInline var writeIDs = WriteIDSupply()

  /// Lets `edits(from:)` find the last step without a comparison.
  @usableFromInline var lastEdit = LastArrayEdit.empty

  /// Creates an empty array.
  @inlinable
  public init() {
    slots = ListTree()
  }

  /// Creates an array of these elements. The elements of another persistent array remain the same elements.
  @inlinable
  public init(_ elements: some Sequence<Element>) {
    if let list = elements as? PersistentArray {
      self = list
      return
    }
    self.init()
    slots = ListTree(elements.map { Slot($0, writeIDs.take()) })
    lastEdit = LastArrayEdit(of: writeIDs.take())
  }
}

// MARK: - Changing

extension PersistentArray {
  // Copies a shared root (copy-on-write), and gives the contents a new identity. Called before each change. Returns a
  // write ID, which the step may give to the slot that it writes.
  @inlinable
  @discardableResult
  mutating func willChange(by step: LastArrayEdit.Step = .several) -> WriteID {
    if !isKnownUniquelyReferenced(&slots.root) {
      slots.root = ListNode(copy: slots.root)
      writeIDs = WriteIDSupply()
    }
    let writeID = writeIDs.take()
    lastEdit.changed(by: step, to: writeID)
    return writeID
  }

  /// Moves the element at `source` to `destination`, its index after the move.
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
    willChange(by: .move(from: source, to: destination))
    slots.insert(slots.remove(at: source), at: destination)
  }

  /// Replaces the element at `index`.
  ///
  /// - Returns: The element that was at `index`.
  @inlinable
  @discardableResult
  public mutating func update(_ element: Element, at index: Int) -> Element {
    checkElement(at: index)
    let writeID = willChange(by: .update(index))
    return slots.replace(at: index, with: Slot(element, writeID)).element
  }

  /// Sorts the elements. Each remains the same element: it is moved, not replaced. If more than 64 elements move,
  /// `edits(from:)` counts none of them as moved.
  @inlinable
  public mutating func sort(by areInIncreasingOrder: (Element, Element) throws -> Bool) rethrows {
    let sorted = try slots.sorted { try areInIncreasingOrder($0.element, $1.element) }
    willChange()
    slots = ListTree(sorted)
  }

  @inlinable
  func checkElement(at index: Int) {
    precondition(index >= 0 && index < count, "there is no element \(index) among \(count)")
  }
}

extension PersistentArray where Element: Comparable {
  /// Sorts the elements. Each remains the same element: it is moved, not replaced. If more than 64 elements move,
  /// `edits(from:)` counts none of them as moved.
  @inlinable
  public mutating func sort() {
    sort(by: <)
  }
}

// MARK: - As a collection

extension PersistentArray: RandomAccessCollection, MutableCollection {
  /// The number of elements.
  @inlinable public var count: Int { slots.count }
  /// Zero.
  @inlinable public var startIndex: Int { 0 }
  /// The number of elements.
  @inlinable public var endIndex: Int { count }

  /// The element at `index`. A change gives the element a new identity.
  ///
  /// A change happens in place if there is no other copy of the array: `rows[2].cells.append(cell)`.
  @inlinable
  public subscript(index: Int) -> Element {
    get {
      checkElement(at: index)
      return slots[index].element
    }
    set { update(newValue, at: index) }
    _modify {
      checkElement(at: index)
      let second = ThreadSanitizer.secondReference(to: slots.root)
      defer { ThreadSanitizer.release(second) }
      let writeID = willChange(by: .update(index))
      let (leaf, offset) = slots.ownLeaf(at: index)
      unsafe leaf.items[offset].writeID = writeID
      yield unsafe &leaf.items[offset].element
    }
  }

  /// Exchanges two elements. Each remains the same element: it is moved, not replaced.
  @inlinable
  public mutating func swapAt(_ i: Int, _ j: Int) {
    checkElement(at: i)
    checkElement(at: j)
    if i == j { return }
    willChange()
    slots.replace(at: i, with: slots.replace(at: j, with: slots[i]))
  }
}

extension PersistentArray: RangeReplaceableCollection {
  /// Replaces the elements in `range` with `elements`.
  @inlinable
  public mutating func replaceSubrange(_ range: Range<Int>, with elements: some Collection<Element>) {
    precondition(
      range.lowerBound >= 0 && range.upperBound <= count,
      "there is no range \(range) among \(count) elements"
    )
    willChange()
    for index in range.reversed() { _ = slots.remove(at: index) }
    for (index, element) in elements.enumerated() {
      slots.insert(Slot(element, writeIDs.take()), at: range.lowerBound + index)
    }
  }

  /// Adds an element at the end.
  @inlinable
  public mutating func append(_ element: Element) {
    let writeID = willChange(by: .insert(count))
    slots.insert(Slot(element, writeID), at: count)
  }

  /// Inserts `element` before the element at `index`, or at the end.
  @inlinable
  public mutating func insert(_ element: Element, at index: Int) {
    precondition(index >= 0 && index <= count, "there is no place \(index) among \(count) elements")
    let writeID = willChange(by: .insert(index))
    slots.insert(Slot(element, writeID), at: index)
  }

  /// Removes the element at `index`.
  @inlinable
  @discardableResult
  public mutating func remove(at index: Int) -> Element {
    checkElement(at: index)
    willChange(by: .remove(index))
    return slots.remove(at: index).element
  }

  /// Removes all elements.
  @inlinable
  public mutating func removeAll(keepingCapacity: Bool = false) {
    self = PersistentArray()
  }

  /// Removes the elements for which `shouldBeRemoved` is true. The others remain the same elements.
  @inlinable
  public mutating func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
    var offsets: [Int] = []
    for (offset, element) in enumerated() where try shouldBeRemoved(element) { offsets.append(offset) }
    if offsets.isEmpty { return }
    willChange()
    for offset in offsets.reversed() { _ = slots.remove(at: offset) }
  }

  /// Returns an array of the elements for which `isIncluded` is true. Each remains the same element.
  @inlinable
  public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> PersistentArray {
    var result = self
    try result.removeAll { try !isIncluded($0) }
    return result
  }
}

extension PersistentArray: Sequence {
  /// An iterator over the elements, as they were when the iterator was created.
  public struct Iterator: IteratorProtocol, Sendable {
    @usableFromInline var slots: ListTree<Slot>.Iterator

    @inlinable
    init(_ slots: ListTree<Slot>.Iterator) {
      self.slots = slots
    }

    /// Returns the next element; nil after the last.
    @inlinable
    public mutating func next() -> Element? { slots.next()?.element }
  }

  /// Returns an iterator over the elements.
  @inlinable
  public func makeIterator() -> Iterator { Iterator(slots.makeIterator()) }
}

extension PersistentArray: ExpressibleByArrayLiteral {
  /// Creates an array of these elements.
  @inlinable
  public init(arrayLiteral elements: Element...) {
    self.init(elements)
  }
}

extension PersistentArray: Equatable where Element: Equatable {
  /// Returns whether two arrays have equal elements in the same order. Does not compare the elements of unchanged
  /// copies of one array.
  @inlinable
  public static func == (left: PersistentArray, right: PersistentArray) -> Bool {
    left.slots.root === right.slots.root || left.elementsEqual(right)
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
  /// The elements, written as Swift's `Array` writes them.
  public var description: String { Array(self).description }
}

// MARK: - Slots

/// An element and its write ID. Only copies of a slot have the same write ID.
@usableFromInline
struct ListSlot<Element: Sendable>: ListItem {
  @usableFromInline var writeID: WriteID
  @usableFromInline var element: Element

  @inlinable
  init(_ element: Element, _ writeID: WriteID) {
    self.element = element
    self.writeID = writeID
  }

  @inlinable var weight: Int { 0 }
}

extension ListTree {
  /// Returns the leaf that has the item at `offset`, and the item's offset in this leaf. First copies each shared node
  /// on the path, so that the tree holds the only reference to each node on the path.
  @inlinable
  mutating func ownLeaf(at offset: Int) -> (leaf: Node, offset: Int) {
    Node.makeUnique(&root)
    var (node, offset) = (root, offset)
    while !node.isLeaf {
      let child = node.child(at: offset)
      unsafe Node.makeUnique(&node.children[child.index].node)
      node = unsafe node.children[child.index].node
      offset = child.offset
    }
    return (node, offset)
  }
}

extension PersistentArray {
  /// Traps if the array violates an invariant. Tests call this.
  package func checkInvariants() {
    slots.checkInvariants()
  }
}
