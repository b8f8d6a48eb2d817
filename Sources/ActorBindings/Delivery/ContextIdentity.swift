/// The identity of a custom context: an object that stands for the context's id. Equal ids share one identity while
/// that identity is in use.
///
/// The registry finds ids by their hash. Only `==` can say whether two ids with the same hash are equal. So `of`
/// compares a new id with each known id of the same hash, as a `Set` does. With well-distributed hashes, two different
/// ids seldom have the same hash. The comparisons run without the lock. Each operation under the lock takes constant
/// amortized time, however many ids have the same hash. There is one exception: if another thread holds a copy of the
/// bucket at that moment, adding or removing an entry copies the bucket.
final class ContextIdentity: Sendable {
  /// Returns the time of the context, in nanoseconds. Contexts with equal ids share the clock of the first such
  /// context.
  let now: @Sendable () -> UInt64
  private let entry: Entry

  private init(_ entry: Entry, now: @escaping @Sendable () -> UInt64) {
    self.entry = entry
    self.now = now
  }

  deinit {
    Self.registry.forget(entry)
  }

  /// The context in words.
  var description: String {
    // To interpolate the id itself takes several dynamic casts more.
    if let id = entry.id.base as? any CustomStringConvertible { return "the context " + id.description }
    return "the context \(entry.id)"
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

  // A separate function that is not inlined: it releases its copy of the bucket before `of` adds an entry. So adding an
  // entry does not copy the bucket.
  @inline(never)
  private static func known(_ id: AnyHashable, hash: Int) -> (ContextIdentity?, newest: Int) {
    let bucket = registry.bucket(hash: hash)
    // While an identity is being deallocated, the bucket still contains its entry. Then the bucket may also contain the
    // entry of a newer identity with an equal id.
    for entry in bucket.entries where entry.id == id {
      if let identity = registry.identity(of: entry) { return (identity, bucket.newest) }
    }
    return (nil, bucket.newest)
  }
}

extension ContextIdentity {
  // @unchecked: `id` wraps a Sendable id; the registry's lock guards the variables.
  private final class Entry: @unchecked Sendable {
    let id: AnyHashable
    let hash: Int
    // Nil until `note` sets it, and nil again once the identity is gone. Guarded by the registry's lock.
    weak var identity: ContextIdentity?
    // The index of the entry in its bucket; nil if the entry is in no bucket. Guarded by the registry's lock.
    var index: Int?

    init(_ id: AnyHashable, hash: Int) {
      self.id = id
      self.hash = hash
    }
  }

  /// The entries whose ids have the same hash.
  private struct Bucket: Sendable {
    var entries: [Entry] = []
    /// The number of the entry that was added last. The registry numbers all entries in the order in which it adds
    /// them.
    var newest = 0
  }

  // @unchecked: `lock` guards the variables.
  private final class Registry: @unchecked Sendable {
    private let lock = Lock()
    // Guarded by `lock`.
    private var buckets: [Int: Bucket] = [:]
    // Guarded by `lock`. The number of entries that were ever added.
    private var additions = 0

    func bucket(hash: Int) -> Bucket {
      lock.withLock { buckets[hash] ?? Bucket() }
    }

    func identity(of entry: Entry) -> ContextIdentity? {
      lock.withLock { entry.identity }
    }

    /// Adds an entry. Returns false if the newest entry of this hash is no longer `newest`, perhaps because another
    /// thread has added an entry for an equal id.
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

    /// Removes an entry whose identity is gone. The caller holds the entry too, so the id is released after the lock.
    func forget(_ entry: Entry) {
      lock.withLock {
        guard let index = entry.index.take() else { return }
        let last = buckets[entry.hash]?.entries.popLast()
        if buckets[entry.hash]?.entries.isEmpty == true { buckets[entry.hash] = nil }
        guard let last, last !== entry else { return }
        // The last entry takes the place of the removed entry.
        last.index = index
        buckets[entry.hash]?.entries[index] = last
      }
    }
  }

  private static let registry = Registry()
}
