/// A dictionary whose copies share what they have in common, so that the differences between two copies are found
/// quickly.
///
/// It is a value that is read and written by key, as Swift's `Dictionary` is. It is a sequence of its entries, and has
/// no indices. A write to a copy copies only the few nodes on the path to the written entry, not the whole dictionary.
/// So a program can keep many versions of a big dictionary. ``edits(from:)`` finds what was written between two
/// versions, at a cost that grows with the number of differences.
///
/// ```swift
/// var prices: PersistentDictionary = ["ACME": 12, "INIT": 40]
/// let before = prices
/// prices["ACME"] = 13
/// prices["NEW"] = 1
/// for entry in prices.edits(from: before) {
///   print(entry)       // update(ACME: 13, old: 12), insert(NEW: 1)
/// }
/// ```
///
/// The time of a read or a write hardly grows with the size of the dictionary. Swift's `Dictionary` is faster if the
/// program keeps no copies and needs no differences. The order of the entries is unspecified. The order of one value is
/// the same throughout the life of a process, and differs in the next process.
public struct PersistentDictionary<Key: Hashable & Sendable, Value: Sendable> {
  @usableFromInline typealias View = HashNodeView<Key, Value>

  /// Nil if the dictionary is empty.
  @usableFromInline var storage: DictionaryStorage?

  /// Creates an empty dictionary.
  @inlinable
  public init() {}

  /// The number of entries.
  @inlinable
  public var count: Int { storage?.count ?? 0 }

  /// Whether there are no entries.
  @inlinable
  public var isEmpty: Bool { storage == nil }

  @inlinable
  func holds(_ key: Key, hash: UInt) -> Bool {
    guard let storage else { return false }
    return withExtendedLifetime(storage) {
      unsafe View.entry(of: key, hash: hash, in: storage.root) != nil
    }
  }

  @inlinable
  func value(forKey key: Key, hash: UInt) -> Value? {
    guard let storage else { return nil }
    return withExtendedLifetime(storage) {
      unsafe View.entry(of: key, hash: hash, in: storage.root)?.pointee.value
    }
  }
}

// @unchecked: only a writer that holds the only reference to a node, and to all nodes above it, writes the node.
extension PersistentDictionary: @unchecked Sendable {}

/// The contents of a dictionary, and the supply of write IDs for its next writes.
///
/// The class does not know the type of the entries, so its deinit is compiled only once, here.
@usableFromInline
final class DictionaryStorage {
  // Only a writer that holds the only reference to this object writes these variables, so accesses do not overlap.
  @exclusivity(unchecked) @usableFromInline var storedCount: Int
  @exclusivity(unchecked) @usableFromInline var storedRoot: HashNode
  @exclusivity(unchecked) @usableFromInline var storedWriteIDs = WriteIDSupply()

  @inlinable
  init(_ root: HashNode, count: Int) {
    unsafe storedRoot = root
    unsafe storedCount = count
  }

  @inlinable
  var root: HashNode { unsafe storedRoot }

  @inlinable
  var count: Int { unsafe storedCount }
}

@available(*, unavailable)
extension DictionaryStorage: Sendable {}
