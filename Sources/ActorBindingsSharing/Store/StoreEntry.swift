/// A position in the history of a store. A later write has a greater revision, as long as the store keeps its history.
public struct StoreRevision: Hashable, Comparable, Sendable {
  /// The number by which the store orders its writes.
  public let number: UInt64

  /// Creates a revision from the store's number for it.
  public init(_ number: UInt64) {
    self.number = number
  }

  /// Whether the first revision is earlier than the second.
  public static func < (left: StoreRevision, right: StoreRevision) -> Bool {
    left.number < right.number
  }
}

/// An entry of a store.
public struct StoreEntry: Hashable, Sendable {
  /// The key.
  public var key: String
  /// The bytes of the last write.
  public var bytes: [UInt8]
  /// The revision of the last write.
  public var revision: StoreRevision

  /// Creates an entry.
  public init(key: String, bytes: [UInt8], revision: StoreRevision) {
    self.key = key
    self.bytes = bytes
    self.revision = revision
  }
}

/// The entries of a scope at one revision.
public struct StoreSnapshot: Hashable, Sendable {
  /// The entries, in any order.
  public var entries: [StoreEntry]
  /// The revision of the store at which the entries were read. Changes after this revision are not in the snapshot.
  public var revision: StoreRevision

  /// Creates a snapshot.
  public init(entries: [StoreEntry], revision: StoreRevision) {
    self.entries = entries
    self.revision = revision
  }
}

/// A change of one entry.
public enum StoreChange: Hashable, Sendable {
  /// The entry was written.
  case written(StoreEntry)
  /// The entry was removed, by a writer or by the end of its lease.
  case removed(key: String, revision: StoreRevision)

  /// The key of the entry.
  public var key: String {
    switch self {
    case .written(let entry): entry.key
    case .removed(let key, _): key
    }
  }

  /// The revision of the change.
  public var revision: StoreRevision {
    switch self {
    case .written(let entry): entry.revision
    case .removed(_, let revision): revision
    }
  }
}

/// A write of one entry, which happens only if the entry is as expected.
public struct StoreWrite: Hashable, Sendable {
  /// What the writer expects of the entry.
  public enum Expectation: Hashable, Sendable {
    /// There is no entry.
    case absent
    /// The last write of the entry has this revision.
    case revision(StoreRevision)
    /// The writer does not mind.
    case anything
  }

  /// The key.
  public var key: String
  /// The new bytes; nil to remove the entry.
  public var bytes: [UInt8]?
  /// What the writer expects.
  public var expected: Expectation
  /// The lease that the entry ends with; nil for an entry that stays. Each write of an entry replaces its lease.
  public var lease: StoreLease?

  /// Creates a write.
  public init(key: String, bytes: [UInt8]?, expected: Expectation, lease: StoreLease? = nil) {
    self.key = key
    self.bytes = bytes
    self.expected = expected
    self.lease = lease
  }
}

/// The answer of a store to a write.
public enum StoreWriteResult: Hashable, Sendable {
  /// The write was applied, at this revision.
  case applied(StoreRevision)
  /// The entry is not as expected, but as given; nil if there is none. Nothing was written.
  case conflict(StoreEntry?)
}

/// A lease: entries that were written with it are removed when it ends.
public struct StoreLease: Hashable, Sendable {
  /// The store's name for the lease.
  public let id: String
  /// The time after the last renewal at which the lease ends.
  public let ttl: Duration

  /// Creates a lease from the store's name for it.
  public init(id: String, ttl: Duration) {
    self.id = id
    self.ttl = ttl
  }
}
