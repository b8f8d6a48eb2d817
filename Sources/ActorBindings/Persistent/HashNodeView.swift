/// A typed view of a hash node: of its children, and of its entries.
///
/// Unsafe: the view does not keep the node alive.
@usableFromInline
@unsafe
struct HashNodeView<Key: Hashable, Value> {
  @usableFromInline typealias Entry = DictionaryEntry<Key, Value>

  @usableFromInline let header: UnsafeMutablePointer<HashNodeHeader>
  @usableFromInline let words: UnsafeMutableRawPointer

  @inlinable
  @inline(__always)
  init(_ node: HashNode) {
    unsafe (header, words) = unsafe node.withUnsafeMutablePointers { header, words in
      unsafe (header, UnsafeMutableRawPointer(words))
    }
  }

  @inlinable
  @inline(__always)
  var shape: HashNodeShape { unsafe header.pointee.shape }

  @inlinable
  @inline(__always)
  var children: UnsafeMutablePointer<HashNode> {
    unsafe words.assumingMemoryBound(to: HashNode.self)
  }

  @inlinable
  @inline(__always)
  var entries: UnsafeMutablePointer<Entry> {
    unsafe Self.entries(at: words + shape.childCount * MemoryLayout<UInt>.stride)
  }

  @inlinable
  @inline(__always)
  static func entries(at place: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Entry> {
    unsafe place.alignedUp(for: Entry.self).assumingMemoryBound(to: Entry.self)
  }
}

@available(*, unavailable)
extension HashNodeView: Sendable {}

// MARK: - Finding

/// The bits of a hash, four for each level.
///
/// Five bits would make a lookup a little faster. But a write to a copy retains all children of the nodes on the path.
/// With four bits such a write retains a third fewer children in all, because the nodes are narrower.
@usableFromInline
enum HashBits: Sendable {
  @inlinable static var perLevel: Int { 4 }
  @inlinable static var all: Int { UInt.bitWidth }

  @inlinable
  @inline(__always)
  static func of(_ key: some Hashable) -> UInt { UInt(bitPattern: key.hashValue) }

  /// Returns the slot of a hash in a node, as a bit of a map.
  @inlinable
  @inline(__always)
  static func slot(of hash: UInt, shift: Int) -> UInt32 {
    let bits = (hash &>> UInt(truncatingIfNeeded: shift)) & ((1 &<< UInt(perLevel)) &- 1)
    return 1 &<< UInt32(truncatingIfNeeded: bits)
  }
}

extension UInt32 {
  /// Returns the number of slots of this map before `slot`.
  @inlinable
  @inline(__always)
  func slots(before slot: UInt32) -> Int { (self & (slot &- 1)).nonzeroBitCount }

  /// Removes the first slot of this map, and returns the slot; nil if the map is empty.
  @inlinable
  mutating func popFirst() -> UInt32? {
    if self == 0 { return nil }
    defer { self &= self &- 1 }
    return self & (0 &- self)
  }
}

extension HashNodeView {
  /// Returns the address of the entry of a key; nil if there is none. `root` is the node of the first level.
  @inlinable
  static func entry(of key: Key, hash: UInt, in root: HashNode) -> UnsafeMutablePointer<Entry>? {
    unsafe entry(hash: hash, in: root) { unsafe $0.pointee.key == key }
  }

  /// Returns the address of the entry for which `matches` is true, among the entries that `hash` leads to; nil if there
  /// is none. Outside a collision node, an entry that `hash` leads to may have another hash.
  @inlinable
  @inline(__always)
  static func entry(
    hash: UInt,
    in root: HashNode,
    where matches: (UnsafeMutablePointer<Entry>) -> Bool
  ) -> UnsafeMutablePointer<Entry>? {
    var node = unsafe Self(root)
    var shift = 0
    while shift < HashBits.all {
      let slot = HashBits.slot(of: hash, shift: shift)
      let shape = unsafe node.shape
      if shape.childMap & slot != 0 {
        unsafe node = Self(node.children[shape.childMap.slots(before: slot)])
        shift += HashBits.perLevel
        continue
      }
      guard shape.entryMap & slot != 0 else { return nil }
      let entry = unsafe node.entries + shape.entryMap.slots(before: slot)
      return unsafe matches(entry) ? entry : nil
    }
    return unsafe node.indexInCollisionNode(where: matches).map { unsafe node.entries + $0 }
  }

  /// Returns the index of the entry for which `matches` is true, in a collision node.
  @inlinable
  func indexInCollisionNode(where matches: (UnsafeMutablePointer<Entry>) -> Bool) -> Int? {
    let (entries, count) = unsafe (entries, shape.entryCount)
    return (0..<count).first { unsafe matches(entries + $0) }
  }

  /// Returns the index of the entry of a key in a collision node.
  @inlinable
  func indexInCollisionNode(of key: Key) -> Int? {
    unsafe indexInCollisionNode { unsafe $0.pointee.key == key }
  }
}
