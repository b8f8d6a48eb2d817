/// A collection whose copies share what they have in common, so that the differences between two copies are found
/// quickly.
///
/// Only types of this library conform.
public protocol PersistentCollection<Edit>: Sendable {
  /// One step from one collection to another.
  associatedtype Edit: Sendable

  /// The number of elements.
  var count: Int { get }

  /// Returns the steps that turn `old` into this collection.
  func edits(from old: Self) -> [Edit]

  /// Returns the steps that turn `old` into this collection; nil if there are more than `limit`.
  func edits(from old: Self, limit: Int) -> [Edit]?
}

extension PersistentArray: PersistentCollection {}
extension PersistentDictionary: PersistentCollection {}
