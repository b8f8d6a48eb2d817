/// The shape of a hash node: which slots hold an entry, and which slots hold a child.
///
/// A node at the depth where all bits of the hash are used up is a *collision node*. It holds only entries, and its
/// maps are empty.
@usableFromInline
struct HashNodeShape: Equatable, Sendable {
  /// The slots that hold an entry.
  @usableFromInline var entryMap: UInt32 = 0
  /// The slots that hold a node of the next level.
  @usableFromInline var childMap: UInt32 = 0
  @usableFromInline var storedEntryCount: UInt32 = 0
  @usableFromInline var storedChildCount: UInt32 = 0

  @inlinable
  init() {}

  @inlinable
  var entryCount: Int {
    get { Int(truncatingIfNeeded: storedEntryCount) }
    set { storedEntryCount = UInt32(newValue) }
  }

  @inlinable
  var childCount: Int {
    get { Int(truncatingIfNeeded: storedChildCount) }
    set { storedChildCount = UInt32(newValue) }
  }
}

@usableFromInline
@safe
struct HashNodeHeader {
  @usableFromInline var shape: HashNodeShape
  /// Deinitializes the entries. Takes the address after the children, and the number of entries.
  @usableFromInline let endEntries: (UnsafeMutableRawPointer, Int) -> Void

  @inlinable
  init(_ shape: HashNodeShape, endEntries: @escaping (UnsafeMutableRawPointer, Int) -> Void) {
    self.shape = shape
    unsafe self.endEntries = endEntries
  }
}

@available(*, unavailable)
extension HashNodeHeader: Sendable {}

/// A node of a hash trie: its children, followed by its entries, in one allocation.
///
/// The allocation has exactly the size that the contents need, so another shape needs another node. The class does not
/// know the type of its entries, so its deinit is compiled only once, here. `HashNodeView` knows the type.
@usableFromInline
final class HashNode: ManagedBuffer<HashNodeHeader, UInt> {
  deinit {
    unsafe withUnsafeMutablePointers { header, words in
      let shape = unsafe header.pointee.shape
      if shape.childCount > 0 {
        unsafe UnsafeMutableRawPointer(words).assumingMemoryBound(to: HashNode.self)
          .deinitialize(count: shape.childCount)
      }
      if shape.entryCount > 0 {
        unsafe header.pointee.endEntries(UnsafeMutableRawPointer(words + shape.childCount), shape.entryCount)
      }
    }
  }
}

/// A key, its value, and the write ID of the write that made the entry.
@usableFromInline
struct DictionaryEntry<Key, Value> {
  @usableFromInline var key: Key
  @usableFromInline var value: Value
  @usableFromInline var writeID: WriteID

  @inlinable
  init(_ key: Key, _ value: Value, _ writeID: WriteID) {
    self.key = key
    self.value = value
    self.writeID = writeID
  }
}

extension DictionaryEntry: Sendable where Key: Sendable, Value: Sendable {}
