/// A collection whose copies share what they have in common, so that what differs between two of them can be told.
///
/// The types that conform are the library's own.
public protocol PersistentCollection<Edit>: Sendable {
  /// One step from one collection to another.
  associatedtype Edit: Sendable

  /// The number of elements.
  var count: Int { get }

  /// The steps that make this collection of `old`.
  func edits(from old: Self) -> [Edit]

  /// The steps that make this collection of `old`, unless there are more than `limit`: then nil.
  func edits(from old: Self, limit: Int) -> [Edit]?
}

extension PersistentArray: PersistentCollection {}
extension PersistentDictionary: PersistentCollection {}
