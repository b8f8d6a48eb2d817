/// A dictionary whose copies share what they have in common: so the difference of two of them is found quickly.
///
/// It is a value, and is read and written by key as Swift's `Dictionary` is; of its entries it is a sequence, which has no
/// indices. When a copy is written to, only the few nodes on the way to the written entry are made anew, not the whole.
/// So a copy of a big dictionary can be kept of every version that one cares about, and ``edits(from:)`` tells what was
/// written between two of them, at the price of what differs.
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
/// Reading and writing take a time that hardly grows with the dictionary. Where no copies are kept and no differences
/// are asked for, Swift's `Dictionary` is faster. The order of the entries is unspecified: it is the same for one
/// value throughout the life of a process, and another in the next.
public struct PersistentDictionary<Key: Hashable & Sendable, Value: Sendable> {
  @usableFromInline typealias View = HashNodeView<Key, Value>

  /// nil if it is empty.
  @usableFromInline var storage: DictionaryStorage?

  /// An empty dictionary.
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

// @unchecked: a node is written only by who alone holds it, and all the nodes above it.
extension PersistentDictionary: @unchecked Sendable {}

/// What a dictionary holds, and where the marks of its next writes come from.
///
/// It does not know the type of its entries, so that it dies by code that was compiled once, here.
@usableFromInline
final class DictionaryStorage {
  // All are written only by who alone holds this object: so accesses do not overlap.
  @exclusivity(unchecked) @usableFromInline var storedCount: Int
  @exclusivity(unchecked) @usableFromInline var storedRoot: HashNode
  @exclusivity(unchecked) @usableFromInline var storedMarks = EntryMarks()

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
