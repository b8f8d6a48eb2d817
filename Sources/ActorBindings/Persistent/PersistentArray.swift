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
/// `Array`: it is a value, its indices count from zero, and those that do not exist end the process. `Array(list)` makes
/// one of it.
///
/// Each element is one that was written once: a copy of the array has the same ones, and what is moved stays the one
/// that it was. What is written is another one, though it may be equal. By this, and not by `==`, copies are compared.
public struct PersistentArray<Element: Sendable>: Sendable {
  @usableFromInline typealias Slot = ListSlot<Element>

  @usableFromInline var slots: ListTree<Slot>

  // For new slots. They are this array's own as long as it alone holds its root: of several copies, who changes his
  // first begins with new ones.
  @usableFromInline var marks = EntryMarks()

  /// An empty array.
  @inlinable
  public init() {
    slots = ListTree()
  }

  /// An array of these elements. Those of another persistent array stay what they were.
  @inlinable
  public init(_ elements: some Sequence<Element>) {
    if let list = elements as? PersistentArray {
      self = list
      return
    }
    self.init()
    slots = ListTree(elements.map { Slot($0, marks.take()) })
  }
}

// MARK: - Changing

extension PersistentArray {
  // Before each change.
  @inlinable
  mutating func willChange() {
    if isKnownUniquelyReferenced(&slots.root) { return }
    slots.root = ListNode(copy: slots.root)
    marks = EntryMarks()
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
    slots.insert(slots.remove(at: source), at: destination)
  }

  /// Replaces the element at `index`.
  ///
  /// - Returns: What was there.
  @inlinable
  @discardableResult
  public mutating func update(_ element: Element, at index: Int) -> Element {
    checkElement(at: index)
    willChange()
    return slots.replace(at: index, with: Slot(element, marks.take())).element
  }

  /// Sorts the elements. Each stays the one that it was: it is moved, not replaced. If more than 64 are moved,
  /// `edits(from:)` tells of them as removed and inserted.
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
  /// Sorts the elements. Each stays the one that it was: it is moved, not replaced. If more than 64 are moved,
  /// `edits(from:)` tells of them as removed and inserted.
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

  /// The element at `index`. One that is changed is another one then.
  ///
  /// It is changed in place where nobody else holds a copy: `rows[2].cells.append(cell)`.
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
      willChange()
      let (leaf, offset) = slots.ownLeaf(at: index)
      unsafe leaf.items[offset].mark = marks.take()
      yield unsafe &leaf.items[offset].element
    }
  }

  /// Exchanges two elements. Each stays the one that it was: it is moved, not replaced.
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
  /// Replaces a range by other elements.
  @inlinable
  public mutating func replaceSubrange(_ range: Range<Int>, with elements: some Collection<Element>) {
    precondition(
      range.lowerBound >= 0 && range.upperBound <= count,
      "there is no range \(range) among \(count) elements"
    )
    willChange()
    for index in range.reversed() { _ = slots.remove(at: index) }
    for (index, element) in elements.enumerated() {
      slots.insert(Slot(element, marks.take()), at: range.lowerBound + index)
    }
  }

  /// Adds an element at the end.
  @inlinable
  public mutating func append(_ element: Element) {
    willChange()
    slots.insert(Slot(element, marks.take()), at: count)
  }

  /// Inserts an element before the one at `index`, or at the end.
  @inlinable
  public mutating func insert(_ element: Element, at index: Int) {
    precondition(index >= 0 && index <= count, "there is no place \(index) among \(count) elements")
    willChange()
    slots.insert(Slot(element, marks.take()), at: index)
  }

  /// Removes the element at `index`.
  @inlinable
  @discardableResult
  public mutating func remove(at index: Int) -> Element {
    checkElement(at: index)
    willChange()
    return slots.remove(at: index).element
  }

  /// Removes all elements.
  @inlinable
  public mutating func removeAll(keepingCapacity: Bool = false) {
    self = PersistentArray()
  }

  /// Removes those elements for which `shouldBeRemoved` is true. The others stay what they were.
  @inlinable
  public mutating func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
    var offsets: [Int] = []
    for (offset, element) in enumerated() where try shouldBeRemoved(element) { offsets.append(offset) }
    if offsets.isEmpty { return }
    willChange()
    for offset in offsets.reversed() { _ = slots.remove(at: offset) }
  }

  /// An array of those elements for which `isIncluded` is true. Each stays the one that it was.
  @inlinable
  public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> PersistentArray {
    var result = self
    try result.removeAll { try !isIncluded($0) }
    return result
  }
}

extension PersistentArray: Sequence {
  /// Goes through the elements as they were when it was made.
  public struct Iterator: IteratorProtocol, Sendable {
    @usableFromInline var slots: ListTree<Slot>.Iterator

    @inlinable
    init(_ slots: ListTree<Slot>.Iterator) {
      self.slots = slots
    }

    /// The next element.
    @inlinable
    public mutating func next() -> Element? { slots.next()?.element }
  }

  /// An iterator over the elements.
  @inlinable
  public func makeIterator() -> Iterator { Iterator(slots.makeIterator()) }
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
  /// The elements, as an array describes them.
  public var description: String { Array(self).description }
}

// MARK: - Slots

/// An element, and which one it is: no other slot has its mark, but for its copies.
@usableFromInline
struct ListSlot<Element: Sendable>: ListItem {
  @usableFromInline var mark: EntryMark
  @usableFromInline var element: Element

  @inlinable
  init(_ element: Element, _ mark: EntryMark) {
    self.element = element
    self.mark = mark
  }

  @inlinable var weight: Int { 0 }
}

extension ListTree {
  /// The leaf that has the item at `offset`, and where it is there. Nobody else holds it, nor what is above it.
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
  /// Holds after every change; tests call it.
  package func checkInvariants() {
    slots.checkInvariants()
  }
}
