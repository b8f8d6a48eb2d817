/// The watched hashes of a dictionary: an open-addressing table with linear probing.
///
/// The table uses the hash of a key as it is. A Swift `Dictionary` would hash it once more, and would read two places in
/// memory for each lookup. A slot holds the hash beside the reference. So to find the object of a hash, a writer reads
/// the slot, but not the object: the writer can ask for the memory of the object before it needs the object.
@usableFromInline
package struct WatchedHashTable<Key: Hashable & Sendable, Element: Sendable>: Sendable {
  @usableFromInline package typealias Watched = WatchedHash<Key, Element>

  @usableFromInline
  struct Slot: Sendable {
    @usableFromInline var hash: UInt
    @usableFromInline var watched: Watched?

    @inlinable
    init(_ hash: UInt, _ watched: Watched?) {
      self.hash = hash
      self.watched = watched
    }
  }

  // The number of slots is 0, or a power of two. At least a quarter of the slots is free, so each search ends.
  @usableFromInline var slots: ContiguousArray<Slot> = []
  /// The number of hashes.
  @usableFromInline package private(set) var count = 0

  @usableFromInline
  package init() {}

  @inlinable package var isEmpty: Bool { count == 0 }

  /// The objects of all hashes, in no order.
  package var all: [Watched] { slots.compactMap(\.watched) }

  /// The object of a hash; nil if the hash is not watched.
  @inlinable
  package subscript(hash: UInt) -> Watched? {
    unsafe uncounted(hash)?.takeUnretainedValue()
  }

  /// The object of a hash, which this table holds; nil if the hash is not watched. Does not read the object.
  @inlinable
  func uncounted(_ hash: UInt) -> Unmanaged<Watched>? {
    if slots.isEmpty { return nil }
    var index = home(of: hash)
    while let watched = slots[index].watched {
      if slots[index].hash == hash { return unsafe .passUnretained(watched) }
      index = (index &+ 1) & (slots.count &- 1)
    }
    return nil
  }

  // The slot at which the search for a hash begins. User code may compute hashes that differ only in their higher bits,
  // or in a few bits. A bit of a product depends only on lower bits of the hash. So the higher half of the hash is folded
  // into the lower half first.
  @inlinable
  func home(of hash: UInt) -> Int {
    let folded = UInt64(hash) ^ (UInt64(hash) &>> 32)
    let product = folded &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: (product &>> 32)) & (slots.count &- 1)
  }

  /// Adds an object. Its hash must not be watched yet.
  @usableFromInline
  package mutating func insert(_ watched: Watched) {
    count += 1
    if count * 4 > slots.count * 3 { resize(to: max(4, 2 * slots.count)) }
    put(Slot(watched.hash, watched))
  }

  private mutating func put(_ slot: Slot) {
    var index = home(of: slot.hash)
    while slots[index].watched != nil { index = (index &+ 1) & (slots.count &- 1) }
    slots[index] = slot
  }

  private mutating func resize(to size: Int) {
    let old = slots
    slots = ContiguousArray(repeating: Slot(0, nil), count: size)
    for slot in old where slot.watched != nil { put(slot) }
  }

  /// Removes an object of this table. The caller holds a reference to the object, and releases it after the lock.
  @usableFromInline
  package mutating func remove(_ watched: Watched) {
    var free = home(of: watched.hash)
    while slots[free].watched !== watched {
      precondition(slots[free].watched != nil, "a hash was removed that is not watched")
      free = (free &+ 1) & (slots.count &- 1)
    }
    count -= 1
    if count == 0 { return slots = [] }
    // Moves each later object that a search would no longer find, because the search would end at the free slot.
    var index = free
    while true {
      index = (index &+ 1) & (slots.count &- 1)
      guard slots[index].watched != nil else { break }
      let distance = (index &- home(of: slots[index].hash)) & (slots.count &- 1)
      if distance < (index &- free) & (slots.count &- 1) { continue }
      slots[free] = slots[index]
      free = index
    }
    slots[free].watched = nil
    if slots.count > Self.smallestShrunk, count * 8 < slots.count { resize(to: slots.count / 2) }
  }

  // A table with at most this many slots keeps them until it is empty.
  private static var smallestShrunk: Int { 64 }
}
