/// One step from one dictionary to another. No two steps concern the same key, so their order does not matter.
public enum DictionaryEdit<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// Inserts `key`, which the dictionary did not have before.
  case insert(key: Key, value: Value)
  /// Replaces the value `old` of `key` with `value`. The two values may be equal.
  case update(key: Key, value: Value, old: Value)
  /// Removes `key`, whose value was `value`.
  case remove(key: Key, value: Value)
}

extension DictionaryEdit: Equatable where Value: Equatable {}

extension DictionaryEdit: CustomStringConvertible {
  /// A description of the step, such as `insert(ACME: 12)`.
  public var description: String {
    switch self {
    case .insert(let key, let value): "insert(\(key): \(value))"
    case .update(let key, let value, let old): "update(\(key): \(value), old: \(old))"
    case .remove(let key, let value): "remove(\(key): \(value))"
    }
  }
}

extension DictionaryEdit {
  /// The key.
  @inlinable
  public var key: Key {
    switch self {
    case .insert(let key, _), .update(let key, _, _), .remove(let key, _): key
    }
  }

  /// The value of the key before the step; nil if the dictionary did not have the key.
  @inlinable
  public var oldValue: Value? {
    switch self {
    case .insert: nil
    case .update(_, _, let value), .remove(_, let value): value
    }
  }

  /// The value of the key after the step; nil if the step removes the key.
  @inlinable
  public var newValue: Value? {
    switch self {
    case .insert(_, let value), .update(_, let value, _): value
    case .remove: nil
    }
  }
}

extension Dictionary where Key: Sendable, Value: Sendable {
  /// Applies the steps.
  @inlinable
  public mutating func apply(_ edits: some Sequence<DictionaryEdit<Key, Value>>) {
    for edit in edits { self[edit.key] = edit.newValue }
  }
}
