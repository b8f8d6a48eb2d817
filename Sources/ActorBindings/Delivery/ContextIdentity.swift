/// What stands for the id of a custom context: equal ids have one identity while it is in use.
///
/// Ids are kept by their hash. Whether two ids with the same hash are equal only their `==` can say. So a new id is
/// compared with each known one of the same hash, as in a `Set`; of well-distributed hashes there is seldom one. The
/// comparisons run without the lock, and everything under it takes one step, however many ids have the same hash.
final class ContextIdentity: Sendable {
  /// The time of the context, in nanoseconds: of contexts with equal ids the first one's.
  let now: @Sendable () -> UInt64
  private let entry: Entry

  private init(_ entry: Entry, now: @escaping @Sendable () -> UInt64) {
    self.entry = entry
    self.now = now
  }

  deinit {
    Self.registry.forget(entry)
  }

  static func of(_ id: some Hashable & Sendable, now: @escaping @Sendable () -> UInt64) -> ContextIdentity {
    let id = AnyHashable(id)
    let hash = id.hashValue
    while true {
      let (identity, newest) = known(id, hash: hash)
      if let identity { return identity }
      let fresh = ContextIdentity(Entry(id, hash: hash), now: now)
      if registry.note(fresh.entry, of: fresh, after: newest) { return fresh }
    }
  }

  // A function of its own: what it has looked at is released before an entry is added, which needs no copy then.
  @inline(never)
  private static func known(_ id: AnyHashable, hash: Int) -> (ContextIdentity?, newest: Int) {
    let bucket = registry.bucket(hash: hash)
    // The identity of an equal one may be gone, and its entry still be there beside its successor.
    for entry in bucket.entries where entry.id == id {
      if let identity = registry.identity(of: entry) { return (identity, bucket.newest) }
    }
    return (nil, bucket.newest)
  }
}

extension ContextIdentity {
  // @unchecked: AnyHashable of a Sendable id; the variables are guarded by the registry's lock.
  private final class Entry: @unchecked Sendable {
    let id: AnyHashable
    let hash: Int
    // Nil until the entry is noted. Guarded by the registry's lock.
    weak var identity: ContextIdentity?
    // Where the entry is among those of its hash; nil if it is not. Guarded by the registry's lock.
    var index: Int?

    init(_ id: AnyHashable, hash: Int) {
      self.id = id
      self.hash = hash
    }
  }

  /// The entries of one hash.
  private struct Bucket: Sendable {
    var entries: [Entry] = []
    /// The number of the entry that was added last.
    var newest = 0
  }

  // @unchecked: the variables are guarded by `lock`.
  private final class Registry: @unchecked Sendable {
    private let lock = Lock()
    // Guarded by `lock`.
    private var buckets: [Int: Bucket] = [:]
    // Guarded by `lock`. How many entries were ever added.
    private var additions = 0

    func bucket(hash: Int) -> Bucket {
      lock.withLock { buckets[hash] ?? Bucket() }
    }

    func identity(of entry: Entry) -> ContextIdentity? {
      lock.withLock { entry.identity }
    }

    /// False if the newest entry of this hash is another one by now, perhaps for an equal id.
    func note(_ entry: Entry, of identity: ContextIdentity, after newest: Int) -> Bool {
      lock.withLock {
        guard buckets[entry.hash, default: Bucket()].newest == newest else { return false }
        additions += 1
        entry.identity = identity
        entry.index = buckets[entry.hash, default: Bucket()].entries.count
        buckets[entry.hash, default: Bucket()].entries.append(entry)
        buckets[entry.hash, default: Bucket()].newest = additions
        return true
      }
    }

    /// The identity of an entry is gone. The caller holds the entry, and so releases the id after the lock.
    func forget(_ entry: Entry) {
      lock.withLock {
        guard let index = entry.index.take() else { return }
        let last = buckets[entry.hash]?.entries.popLast()
        if buckets[entry.hash]?.entries.isEmpty == true { buckets[entry.hash] = nil }
        guard let last, last !== entry else { return }
        // The last one takes its place.
        last.index = index
        buckets[entry.hash]?.entries[index] = last
      }
    }
  }

  private static let registry = Registry()
}
