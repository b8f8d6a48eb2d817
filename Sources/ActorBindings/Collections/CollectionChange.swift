/// The difference between a collection and what a reader received before.
///
/// ```swift
/// for await change in board.changes(backlog: .latest) {
///   switch change.content {
///   case .reset(let all): rows = Array(all)
///   case .edits(let edits): rows.apply(edits)
///   }
/// }
/// ```
///
/// A reader can keep a copy of its own, and apply each change to this copy in order. After each change, the copy is
/// exactly `value`. The first change is a reset, so the copy may be empty at first. (Only the first change of
/// `changes(since:)` may have edits.) To send a change to another process, encode it: see ``CollectionDelta``.
public struct CollectionChange<Whole: PersistentCollection>: Sendable {
  /// What the reader must do.
  public enum Content: Sendable {
    /// Replace everything with this collection. The first change is a reset. So is a later change that would have more
    /// than sixteen edits, and more edits than the new collection has elements.
    case reset(Whole)
    /// Apply these edits in order. There are no edits if the writes cancel out, as the insertion and the removal of one
    /// element do.
    case edits([Whole.Edit])
  }

  /// What the reader must do.
  public let content: Content
  /// The collection after this change.
  public let value: Whole
  /// The version of the update that this change leads to.
  public let version: UInt64
  /// The number of earlier updates that are merged into this change, because the reader never looked at them. Updates
  /// that an operator passed over do not count.
  public let skipped: Int
  /// Whether this change leads to the update that was current when the reader began.
  public let isInitial: Bool

  @inlinable
  init(_ content: Content, _ update: Update<Whole>) {
    self.content = content
    value = update.value
    version = update.version
    skipped = update.skipped
    isInitial = update.isInitial
  }
}

extension CollectionChange.Content: Equatable where Whole: Equatable, Whole.Edit: Equatable {}
extension CollectionChange: Equatable where Whole: Equatable, Whole.Edit: Equatable {}

extension CollectionChange {
  /// The edits in order; nil if this is a reset.
  @inlinable
  public var edits: [Whole.Edit]? {
    if case .edits(let edits) = content { edits } else { nil }
  }

  /// Whether `value` replaces everything that the reader had.
  @inlinable
  public var isReset: Bool { edits == nil }
}

extension CollectionChange: CustomStringConvertible {
  /// A summary of the change, such as `2 edits to version 7, skipped 4`.
  public var description: String {
    let change =
      switch content {
      case .reset(let all): "reset to \(all.count) element\(all.count == 1 ? "" : "s") at version \(version)"
      case .edits(let edits): "\(edits.count) edit\(edits.count == 1 ? "" : "s") to version \(version)"
      }
    return skipped == 0 ? change : "\(change), skipped \(skipped)"
  }
}

/// A change of an array.
public typealias ArrayChange<Element: Sendable> = CollectionChange<PersistentArray<Element>>

/// A change of a dictionary.
public typealias DictionaryChange<Key: Hashable & Sendable, Value: Sendable> =
  CollectionChange<PersistentDictionary<Key, Value>>

extension CollectionChange {
  /// Creates the change from `old` to `update`. `old` is nil if the reader has received nothing yet.
  @inlinable
  init(from old: Whole?, to update: Update<Whole>) {
    let limit = max(update.value.count, Self.minimumEditLimit)
    if let old, let edits = update.value.edits(from: old, limit: limit) {
      self.init(.edits(edits), update)
    } else {
      self.init(.reset(update.value), update)
    }
  }

  /// A change that is not the first, and has at most this number of edits, is never a reset, even if the new collection
  /// has fewer elements than that.
  @inlinable static var minimumEditLimit: Int { 16 }
}

extension RangeReplaceableCollection where Self: MutableCollection, Element: Sendable, Index == Int {
  /// Applies a change: turns the collection before the change into the collection after it.
  @inlinable
  public mutating func apply(_ change: ArrayChange<Element>) {
    switch change.content {
    case .reset(let all): self = Self(all)
    case .edits(let edits): apply(edits)
    }
  }
}

extension Dictionary where Key: Sendable, Value: Sendable {
  /// Applies a change: turns the dictionary before the change into the dictionary after it.
  @inlinable
  public mutating func apply(_ change: DictionaryChange<Key, Value>) {
    switch change.content {
    case .reset(let all): self = Dictionary(all)
    case .edits(let edits): apply(edits)
    }
  }
}

extension PersistentArray {
  /// Applies a change: turns the array before the change into the array after it. Elements that the change does not
  /// name remain the same elements.
  @inlinable
  public mutating func apply(_ change: ArrayChange<Element>) {
    switch change.content {
    case .reset(let all): self = all
    case .edits(let edits): apply(edits)
    }
  }
}

extension PersistentDictionary {
  /// Applies a change: turns the dictionary before the change into the dictionary after it.
  @inlinable
  public mutating func apply(_ change: DictionaryChange<Key, Value>) {
    switch change.content {
    case .reset(let all): self = all
    case .edits(let edits): apply(edits)
    }
  }
}

// MARK: - Reading changes

extension BindingSource where Value: PersistentCollection {
  /// A source of the changes of the collection. A reader first receives the whole collection, and then the differences
  /// from what it received before.
  ///
  /// ```swift
  /// let sizes = board.changes.map { "\($0.version): \($0.value.count)" }
  /// ```
  ///
  /// When a reader reads, it compares the collection with the collection that it received before, and so finds the
  /// differences. Writers keep no list of edits. A reader with the backlog `.latest` receives one merged change for all
  /// updates that it missed.
  ///
  /// This source is not a `StateSource`, because a change depends on what the reader had before. To read the current
  /// collection, read the collection's own source, such as `board` in the example.
  @inlinable
  public var changes: some BindingSource<CollectionChange<Value>> {
    DerivedSource(ChangesCursor(base: VersionedCursor(base: cursor)))
  }

  /// Returns a stream of the changes of the collection: see `changes`.
  ///
  /// - Parameter backlog: The number of changes that may wait. A change for which there is no room is merged into the
  ///   next change.
  @inlinable
  public func changes(backlog: Backlog) -> BindingStream<some BindingCursor<CollectionChange<Value>>> {
    changes.values(backlog: backlog)
  }
}

/// The cursor of `changes`.
@usableFromInline
struct ChangesCursor<Base: BindingCursor>: WrappingCursor where Base.Element: PersistentCollection {
  /// A change of the collection.
  @usableFromInline typealias Element = CollectionChange<Base.Element>

  @usableFromInline var base: VersionedCursor<Base>
  @usableFromInline var lastReported: Base.Element?

  /// - Parameter known: The collection that the reader has before its first change; nil if it has none.
  @inlinable
  init(base: VersionedCursor<Base>, after known: Base.Element? = nil) {
    self.base = base
    lastReported = known
  }

  /// Returns the next change.
  @inlinable
  mutating func next(in pass: PassSnapshot<Base.Origin>?) -> Pull<Element> {
    base.next(in: pass).map { update in
      defer { lastReported = update.value }
      return CollectionChange(from: lastReported, to: update)
    }
  }
}
