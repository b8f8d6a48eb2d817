/// An error: a step does not fit the collection to which it is applied.
///
/// Steps that come from another process may not fit, for example because the receiver has missed a change. Apply such
/// steps by `apply(validating:)`, and ask for the whole collection if that throws.
public struct InvalidEdit: Error, Sendable, Equatable {
  /// The index of the step among the steps that were applied.
  public let index: Int
  /// What does not fit, such as `removes at offset 7 of 3 elements`.
  public let reason: String

  @usableFromInline
  init(at index: Int, _ reason: String) {
    self.index = index
    self.reason = reason
  }
}

extension InvalidEdit: CustomStringConvertible {
  /// A description such as `edit 2 removes at offset 7 of 3 elements`.
  public var description: String { "edit \(index) \(reason)" }
}

// MARK: - Arrays

extension ArrayEdit {
  /// Checks that the step fits an array of `count` elements. Changes `count` to the number of elements after the step.
  @usableFromInline
  func validate(_ count: inout Int, at index: Int) throws(InvalidEdit) {
    switch self {
    case .insert(let offset, _):
      if offset < 0 || offset > count {
        throw InvalidEdit(at: index, "inserts at offset \(offset) of \(count) elements")
      }
      count += 1
    case .remove(let offset, _):
      if offset < 0 || offset >= count {
        throw InvalidEdit(at: index, "removes at offset \(offset) of \(count) elements")
      }
      count -= 1
    case .update(let offset, _, _):
      if offset < 0 || offset >= count {
        throw InvalidEdit(at: index, "updates offset \(offset) of \(count) elements")
      }
    case .move(let source, let destination, _):
      if min(source, destination) < 0 || max(source, destination) >= count {
        throw InvalidEdit(at: index, "moves from \(source) to \(destination) of \(count) elements")
      }
    }
  }
}

extension Collection {
  /// Checks that these steps fit an array of `count` elements.
  @usableFromInline
  func validate<T>(count: Int) throws(InvalidEdit) where Element == ArrayEdit<T> {
    var (count, index) = (count, 0)
    for edit in self {
      try edit.validate(&count, at: index)
      index += 1
    }
  }
}

extension RangeReplaceableCollection where Self: MutableCollection, Index == Int {
  /// Applies the steps in order, if all of them fit. Otherwise throws, and changes nothing.
  ///
  /// Checks only offsets: it does not compare the elements that the steps remove or replace.
  ///
  /// - Complexity: The check takes a constant time for each step.
  @inlinable
  public mutating func apply(validating edits: some Collection<ArrayEdit<Element>>) throws(InvalidEdit) {
    try edits.validate(count: count)
    apply(edits)
  }
}

extension PersistentArray {
  /// Applies the steps in order, if all of them fit. Otherwise throws, and changes nothing.
  ///
  /// Checks only offsets: it does not compare the elements that the steps remove or replace.
  ///
  /// - Complexity: The check takes a constant time for each step.
  @inlinable
  public mutating func apply(validating edits: some Collection<ArrayEdit<Element>>) throws(InvalidEdit) {
    try edits.validate(count: count)
    apply(edits)
  }
}

// MARK: - Dictionaries

extension Collection {
  /// Checks that these steps fit a dictionary: inserted keys are new, other keys are there, and no key comes twice.
  @inlinable
  func validate<K, V>(_ hasKey: (K) -> Bool) throws(InvalidEdit) where Element == DictionaryEdit<K, V> {
    var keys: Set<K> = []
    var index = 0
    for edit in self {
      if !keys.insert(edit.key).inserted { throw InvalidEdit(at: index, "names a key for the second time") }
      switch edit {
      case .insert: if hasKey(edit.key) { throw InvalidEdit(at: index, "inserts a key that is there") }
      case .update: if !hasKey(edit.key) { throw InvalidEdit(at: index, "updates a key that is missing") }
      case .remove: if !hasKey(edit.key) { throw InvalidEdit(at: index, "removes a key that is missing") }
      }
      index += 1
    }
  }
}

extension Dictionary where Key: Sendable, Value: Sendable {
  /// Applies the steps, if all of them fit. Otherwise throws, and changes nothing.
  ///
  /// A step does not fit if it inserts a key that is there, or updates or removes a key that is missing, or if an
  /// earlier step names the same key. Values are not compared.
  @inlinable
  public mutating func apply(validating edits: some Collection<DictionaryEdit<Key, Value>>)
    throws(InvalidEdit)
  {
    try edits.validate { self[$0] != nil }
    apply(edits)
  }
}

extension PersistentDictionary {
  /// Applies the steps, if all of them fit. Otherwise throws, and changes nothing.
  ///
  /// A step does not fit if it inserts a key that is there, or updates or removes a key that is missing, or if an
  /// earlier step names the same key. Values are not compared.
  @inlinable
  public mutating func apply(validating edits: some Collection<DictionaryEdit<Key, Value>>)
    throws(InvalidEdit)
  {
    try edits.validate { self[$0] != nil }
    apply(edits)
  }
}
