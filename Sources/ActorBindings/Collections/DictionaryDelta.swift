/// What differs between two dictionaries: which entries were inserted, updated and removed.
///
/// ```swift
/// for entry in prices.changes(from: before) {
///   switch entry {
///   case .inserted(let name, let price): table.addRow(name, price)
///   case .updated(let name, _, let price): table.row(name).show(price)
///   case .removed(let name, _): table.removeRow(name)
///   }
/// }
/// ```
///
/// There is one entry for each key, in an order that is unspecified. A delta comes from
/// ``PersistentDictionary/changes(from:)``, and leads from the old dictionary to the new one:
/// `old.applying(new.changes(from: old))` has the entries of `new`.
public struct DictionaryDelta<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// What became of one key.
  public enum Entry: Sendable {
    /// A key that was not there before, and its value.
    case inserted(Key, Value)
    /// A key that has been written, the value that it had, and the one that it has now.
    case updated(Key, from: Value, to: Value)
    /// A key that is there no longer, and the value that it had.
    case removed(Key, Value)
  }

  @usableFromInline let entries: [Entry]

  @inlinable
  init(_ entries: [Entry]) {
    self.entries = entries
  }
}

extension DictionaryDelta: RandomAccessCollection {
  /// The place of the first entry.
  @inlinable
  public var startIndex: Int { entries.startIndex }

  /// The place after the last entry.
  @inlinable
  public var endIndex: Int { entries.endIndex }

  /// The entry at a place.
  @inlinable
  public subscript(position: Int) -> Entry { entries[position] }
}

extension DictionaryDelta.Entry {
  /// The key.
  @inlinable
  public var key: Key {
    switch self {
    case .inserted(let key, _), .updated(let key, _, _), .removed(let key, _): key
    }
  }

  /// The value that the key had; nil if it was inserted.
  @inlinable
  public var oldValue: Value? {
    switch self {
    case .inserted: nil
    case .updated(_, let value, _), .removed(_, let value): value
    }
  }

  /// The value that the key has now; nil if it was removed.
  @inlinable
  public var newValue: Value? {
    switch self {
    case .inserted(_, let value), .updated(_, _, let value): value
    case .removed: nil
    }
  }
}

extension DictionaryDelta: Equatable where Value: Equatable {}
extension DictionaryDelta.Entry: Equatable where Value: Equatable {}
