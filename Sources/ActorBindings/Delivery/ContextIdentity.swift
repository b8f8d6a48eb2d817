/// What stands for the id of a custom context: equal ids have one identity while it is in use.
///
/// Ids are kept by their hash. Whether two ids with the same hash are equal only their `==` can say. So a new id is
/// compared with each known one of the same hash, as in a `Set`; of well-distributed hashes there is seldom one. The
/// comparisons run without the lock, and everything under it takes one step, however many ids have the same hash.
final class ContextIdentity: Sendable {
  private let entry: Entry

  private init(_ entry: Entry) {
    self.entry = entry
  }

  deinit {
    Self.registry.forget(entry)
  }

  static func of(_ id: some Hashable & Sendable) -> ContextIdentity {
    let id = AnyHashable(id)
    let hash = id.hashValue
    while true {
      let (identity, generation) = known(id, hash: hash)
      if let identity { return identity }
      let fresh = ContextIdentity(Entry(id, hash: hash))
      if registry.note(fresh.entry, of: fresh, generation) { return fresh }
    }
  }

  // A function of its own: what it has looked at is released before an entry is added, which needs no copy then.
  @inline(never)
  private static func known(_ id: AnyHashable, hash: Int) -> (ContextIdentity?, generation: Int) {
    let (entries, generation) = registry.known(hash: hash)
    // The identity of an equal one may be gone, and its entry still be there beside its successor.
    for entry in entries where entry.id == id {
      if let identity = registry.identity(of: entry) { return (identity, generation) }
    }
    return (nil, generation)
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

  // @unchecked: the variables are guarded by `lock`.
  private final class Registry: @unchecked Sendable {
    private let lock = Lock()
    // Guarded by `lock`.
    private var entries: [Int: [Entry]] = [:]
    // Guarded by `lock`. Rises with each new entry.
    private var generation = 0

    func known(hash: Int) -> ([Entry], generation: Int) {
      lock.withLock { (entries[hash] ?? [], generation) }
    }

    func identity(of entry: Entry) -> ContextIdentity? {
      lock.withLock { entry.identity }
    }

    /// False if another caller has noted an entry meanwhile, perhaps for an equal id.
    func note(_ entry: Entry, of identity: ContextIdentity, _ known: Int) -> Bool {
      lock.withLock {
        guard generation == known else { return false }
        generation += 1
        entry.identity = identity
        entry.index = entries[entry.hash, default: []].count
        entries[entry.hash, default: []].append(entry)
        return true
      }
    }

    /// The identity of an entry is gone. The caller holds the entry, and so releases the id after the lock.
    func forget(_ entry: Entry) {
      lock.withLock {
        guard let index = entry.index.take() else { return }
        let last = entries[entry.hash]?.popLast()
        if entries[entry.hash]?.isEmpty == true { entries[entry.hash] = nil }
        guard let last, last !== entry else { return }
        // The last one takes its place.
        last.index = index
        entries[entry.hash]?[index] = last
      }
    }
  }

  private static let registry = Registry()
}
