/// What changes when a new node takes over the children or the entries of an old node.
@usableFromInline
enum ContentsChange: Sendable {
  case none
  /// Leaves an uninitialized place for one more element.
  case gap(at: Int)
  /// Leaves out one element, which the caller may have moved out already.
  case without(Int)
}

extension HashNodeView {
  /// Creates a node whose children and entries are not initialized.
  @inlinable
  static func make(_ shape: HashNodeShape) -> HashNode {
    let word = MemoryLayout<UInt>.stride
    let slack = max(0, MemoryLayout<Entry>.alignment - word)
    let bytes = shape.entryCount * MemoryLayout<Entry>.stride + (shape.entryCount > 0 ? slack : 0)
    let node = HashNode.create(minimumCapacity: shape.childCount + (bytes + word - 1) / word) { _ in
      unsafe HashNodeHeader(shape) { place, count in
        unsafe HashNodeView<Key, Value>.entries(at: place).deinitialize(count: count)
      }
    }
    return unsafe unsafeDowncast(node, to: HashNode.self)
  }

  /// Returns a new node with the same children and entries.
  @inlinable
  func copied() -> HashNode {
    unsafe reshaped(unsafe shape, taking: false)
  }

  /// Returns a node of another shape with the contents of this node. If `taking` is true, moves the contents, and
  /// leaves this node empty. `taking` requires that the caller holds the only reference to this node.
  @inlinable
  func reshaped(
    _ shape: HashNodeShape,
    taking: Bool,
    children: ContentsChange = .none,
    entries: ContentsChange = .none
  ) -> HashNode {
    let node = unsafe Self.make(shape)
    let new = unsafe Self(node)
    let old = unsafe self.shape
    unsafe Self.transfer(self.children, old.childCount, to: new.children, children, taking: taking)
    unsafe Self.transfer(self.entries, old.entryCount, to: new.entries, entries, taking: taking)
    if taking { unsafe header.pointee.shape = HashNodeShape() }
    return node
  }

  @inlinable
  static func transfer<Element>(
    _ old: UnsafeMutablePointer<Element>,
    _ count: Int,
    to new: UnsafeMutablePointer<Element>,
    _ change: ContentsChange,
    taking: Bool
  ) {
    func transfer(_ range: Range<Int>, by offset: Int) {
      if range.isEmpty { return }
      let target = unsafe new + (range.lowerBound + offset)
      if taking {
        unsafe target.moveInitialize(from: old + range.lowerBound, count: range.count)
      } else {
        unsafe target.initialize(from: old + range.lowerBound, count: range.count)
      }
    }
    switch change {
    case .none:
      transfer(0..<count, by: 0)
    case .gap(let index):
      transfer(0..<index, by: 0)
      transfer(index..<count, by: 1)
    case .without(let index):
      transfer(0..<index, by: 0)
      transfer(index + 1..<count, by: -1)
    }
  }

  /// Returns an entry that the caller will remove from this node. If `moving` is true, moves the entry out of this
  /// node. `moving` requires that the caller holds the only reference to this node.
  @inlinable
  func take(_ index: Int, moving: Bool) -> Entry {
    unsafe moving ? (entries + index).move() : entries[index]
  }

  /// Creates a node with two entries, for the level at which `shift` bits of a hash are used up. Returns the node, and
  /// the address of the second entry, which may be in a node some levels below.
  @inlinable
  static func pair(
    _ first: consuming Entry,
    _ firstHash: UInt,
    _ second: consuming Entry,
    _ secondHash: UInt,
    shift: Int
  ) -> (node: HashNode, second: UnsafeMutablePointer<Entry>) {
    var shape = HashNodeShape()
    let slots = (HashBits.slot(of: firstHash, shift: shift), HashBits.slot(of: secondHash, shift: shift))
    if shift < HashBits.all, slots.0 == slots.1 {
      let (child, place) = unsafe pair(first, firstHash, second, secondHash, shift: shift + HashBits.perLevel)
      shape.childMap = slots.0
      shape.childCount = 1
      let node = unsafe make(shape)
      unsafe Self(node).children.initialize(to: child)
      return unsafe (node, place)
    }
    if shift < HashBits.all { shape.entryMap = slots.0 | slots.1 }
    shape.entryCount = 2
    let node = unsafe make(shape)
    let entries = unsafe Self(node).entries
    let secondIndex = shift >= HashBits.all || slots.0 < slots.1 ? 1 : 0
    unsafe (entries + (1 - secondIndex)).initialize(to: first)
    unsafe (entries + secondIndex).initialize(to: second)
    return unsafe (node, entries + secondIndex)
  }
}
