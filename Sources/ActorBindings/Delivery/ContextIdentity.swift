/// What stands for the id of a custom context: equal ids have one identity while anybody uses it.
final class ContextIdentity: Sendable {
  private struct Weakly: Sendable {
    weak let identity: ContextIdentity?
  }

  // AnyHashable of a Sendable id.
  private struct Key: Hashable, @unchecked Sendable {
    let id: AnyHashable
  }

  private final class Registry: @unchecked Sendable {
    let lock = Lock()
    // Guarded by `lock`. The table is replaced, never changed in place: looking an id up runs its `==`, and
    // nobody's code runs under a lock.
    var table: [Key: Weakly] = [:]
    var generation = 0
  }

  private static let registry = Registry()

  static func of(_ id: some Hashable & Sendable) -> ContextIdentity {
    let key = Key(id: AnyHashable(id))
    let registry = registry
    while true {
      let (table, generation) = registry.lock.withLock { (registry.table, registry.generation) }
      if let identity = table[key]?.identity { return identity }

      let identity = ContextIdentity()
      var successor = table.filter { $0.value.identity != nil }
      successor[key] = Weakly(identity: identity)
      let isCurrent = registry.lock.withLock {
        guard registry.generation == generation else { return false }
        registry.generation += 1
        // Leaves the old table in `successor`: it is released after the lock.
        swap(&registry.table, &successor)
        return true
      }
      if isCurrent { return identity }
    }
  }
}
