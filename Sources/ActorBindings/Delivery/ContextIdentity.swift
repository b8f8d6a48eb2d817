/// What stands for the id of a custom context: equal ids have one identity while anybody uses it.
final class ContextIdentity: Sendable {
  private let hash: Int

  private init(hash: Int) {
    self.hash = hash
  }

  deinit {
    Self.registry.forget(ObjectIdentifier(self), hash: hash)
  }

  static func of(_ id: some Hashable & Sendable) -> ContextIdentity {
    let id = AnyHashable(id)
    let hash = id.hashValue
    while true {
      let (known, generation) = registry.known(hash: hash)
      for entry in known where entry.id == id {
        // A dead one may still be there, beside its successor.
        if let identity = entry.identity { return identity }
      }
      let identity = ContextIdentity(hash: hash)
      if registry.note(Entry(id, identity), hash: hash, generation) { return identity }
    }
  }
}

extension ContextIdentity {
  // @unchecked: AnyHashable of a Sendable id.
  private struct Entry: @unchecked Sendable {
    let id: AnyHashable
    let name: ObjectIdentifier
    weak let identity: ContextIdentity?

    init(_ id: AnyHashable, _ identity: ContextIdentity) {
      self.id = id
      self.identity = identity
      name = ObjectIdentifier(identity)
    }
  }

  // Kept by hash, not by id: looking an id up runs its `==`, and nobody's code runs under a lock.
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

    /// False if somebody else has noted one meanwhile, perhaps for an equal id.
    func note(_ entry: Entry, hash: Int, _ known: Int) -> Bool {
      lock.withLock {
        guard generation == known else { return false }
        generation += 1
        entries[hash, default: []].append(entry)
        return true
      }
    }

    /// An identity is gone; its id is released after the lock.
    func forget(_ name: ObjectIdentifier, hash: Int) {
      let forgotten = lock.withLock { () -> Entry? in
        guard let index = entries[hash]?.firstIndex(where: { $0.name == name }) else { return nil }
        let entry = entries[hash]?.remove(at: index)
        if entries[hash]?.isEmpty == true { entries[hash] = nil }
        return entry
      }
      _ = consume forgotten
    }
  }

  private static let registry = Registry()
}
