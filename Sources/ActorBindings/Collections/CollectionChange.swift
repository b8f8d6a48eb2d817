/// What became of a collection since a reader was told last.
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
/// Whoever applies each change to what he had after the one before has exactly `value`. The first is always a reset, so
/// he may begin with nothing.
public struct CollectionChange<Whole: PersistentCollection>: Sendable {
  /// What is to be done.
  public enum Content: Sendable {
    /// Forget what you had: this is all. The first change is one, and so is one that would have more steps than there
    /// are elements then (and more than sixteen).
    case reset(Whole)
    /// Take these steps, one after the other. There are none if what was written came to nothing: an element came, and
    /// went again.
    case edits([Whole.Edit])
  }

  /// What is to be done.
  public let content: Content
  /// The collection after this change.
  public let value: Whole
  /// The number of the update that this change leads to.
  public let version: UInt64
  /// How many updates are merged into this change besides the last one: this reader never got to look at them. Those
  /// that an operator passed over are not among them.
  public let skipped: Int
  /// It leads to the update that was current when this reader began.
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
  /// The steps, one after the other; nil of a reset.
  @inlinable
  public var edits: [Whole.Edit]? {
    if case .edits(let edits) = content { edits } else { nil }
  }

  /// Whether what was there before is to be forgotten: `value` is all then.
  @inlinable
  public var isReset: Bool { edits == nil }
}

extension CollectionChange: CustomStringConvertible {
  /// How much has changed, as `2 edits to version 7, skipped 4`.
  public var description: String {
    let change =
      switch content {
      case .reset(let all): "reset to \(all.count) element\(all.count == 1 ? "" : "s") at version \(version)"
      case .edits(let edits): "\(edits.count) edit\(edits.count == 1 ? "" : "s") to version \(version)"
      }
    return skipped == 0 ? change : "\(change), skipped \(skipped)"
  }
}

/// What became of an array.
public typealias ArrayChange<Element: Sendable> = CollectionChange<PersistentArray<Element>>

/// What became of a dictionary.
public typealias DictionaryChange<Key: Hashable & Sendable, Value: Sendable> =
  CollectionChange<PersistentDictionary<Key, Value>>

extension CollectionChange {
  /// Of a collection that was `old`, if it was told before.
  @inlinable
  init(from old: Whole?, to update: Update<Whole>) {
    let limit = max(update.value.count, Self.alwaysTold)
    if let old, let edits = update.value.edits(from: old, limit: limit) {
      self.init(.edits(edits), update)
    } else {
      self.init(.reset(update.value), update)
    }
  }

  /// So many steps are never too many, however few elements are left.
  @inlinable static var alwaysTold: Int { 16 }
}

extension RangeReplaceableCollection where Self: MutableCollection, Element: Sendable, Index == Int {
  /// Makes of the collection before the change the one after it.
  @inlinable
  public mutating func apply(_ change: ArrayChange<Element>) {
    switch change.content {
    case .reset(let all): self = Self(all)
    case .edits(let edits): apply(edits)
    }
  }
}

extension Dictionary where Key: Sendable, Value: Sendable {
  /// Makes of the dictionary before the change the one after it.
  @inlinable
  public mutating func apply(_ change: DictionaryChange<Key, Value>) {
    switch change.content {
    case .reset(let all): self = Dictionary(all)
    case .edits(let edits): apply(edits)
    }
  }
}

extension PersistentArray {
  /// Makes of the array before the change the one after it. What was there before stays what it was.
  @inlinable
  public mutating func apply(_ change: ArrayChange<Element>) {
    switch change.content {
    case .reset(let all): self = all
    case .edits(let edits): apply(edits)
    }
  }
}

extension PersistentDictionary {
  /// Makes of the dictionary before the change the one after it.
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
  /// A source of what becomes of the collection, step by step: first the whole, then what differs from what the same
  /// reader was told before.
  ///
  /// ```swift
  /// let sizes = board.changes.map { "\($0.version): \($0.value.count)" }
  /// ```
  ///
  /// What differs is found out where the reader reads, by comparing the two collections: writers keep no list of edits.
  /// A reader with the backlog `.latest` is told one merged change for all that it missed.
  ///
  /// It is no state: what changed depends on what a reader had. To read the collection itself, ask the source.
  @inlinable
  public var changes: DerivedSource<ChangesCursor<Cursor>> {
    DerivedSource(ChangesCursor(base: VersionedCursor(base: cursor)))
  }

  /// A stream of what becomes of the collection: see `changes`.
  ///
  /// - Parameter backlog: How many changes may wait; those that do not find room are merged into the next one.
  @inlinable
  public func changes(backlog: Backlog) -> BindingStream<ChangesCursor<Cursor>> {
    changes.values(backlog: backlog)
  }
}

/// The cursor of `changes`.
public struct ChangesCursor<Base: BindingCursor>: BindingCursor where Base.Element: PersistentCollection {
  /// What became of the collection.
  public typealias Element = CollectionChange<Base.Element>

  @usableFromInline var base: VersionedCursor<Base>
  @usableFromInline var told: Base.Element?

  @inlinable
  init(base: VersionedCursor<Base>) {
    self.base = base
  }

  /// The innermost cursor.
  @inlinable
  public var root: CellCursor<Base.Origin> {
    get { base.root }
    _modify { yield &base.root }
  }

  /// The next change.
  @inlinable
  public mutating func next(in round: Round<Base.Origin>?) -> Pull<Element> {
    switch base.next(in: round) {
    case .element(let update, let stamp):
      let change = CollectionChange(from: told, to: update)
      told = update.value
      return .element(change, stamp)
    case .rejected(let stamp): return .rejected(stamp)
    case .idle: return .idle
    case .finished: return .finished
    }
  }
}
