import ActorBindingsSharing

extension StoreContract {
  /// Checks of leases. They take a few times the shortest ttl of the store.
  static let leasing: [Check] = [
    Check("an entry is removed when its lease ends, and the removal is a change") { run in
      let start = try await run.load(run.scope).revision
      let asked = run.time.now
      let lease = try await run.grant()
      try await run.put("a", [1], lease: lease)
      let found = try await run.changes(in: run.scope, after: start) { $0.contains(where: \.isRemoval) }
      let lived = run.time.now - asked
      try run.require(found.last?.key, is: run.key("a"), "the removed key")
      try run.require(lived >= lease.ttl * 9 / 10, "the lease of \(lease.ttl) ended after \(lived)")
      try run.require(try await run.entry("a"), is: nil, "the entry")
    },
    Check("a lease that is renewed in time does not end") { run in
      // On a busy machine a renewal may come too late, and then nothing can be said.
      for _ in 0..<5 {
        if try await run.keepAlive("a", times: 9) { return }
      }
      throw run.failure(
        "this machine is too busy to renew a lease of \(run.store.limits.shortestTTL) in time"
      )
    },
    Check("the end of a lease removes exactly its entries") { run in
      let lease = try await run.grantLong()
      for name in ["a", "b", "c"] { try await run.put(name, [1], lease: lease) }
      try await run.put("d", [2])
      try await run.put("b", [3])  // The entry no longer has the lease.
      try await run.soon("revoke") { try await run.store.revoke(lease) }
      let left = try await run.load(run.scope).entries.map(\.key)
      try run.require(Set(left), is: [run.key("b"), run.key("d")], "the set of keys that are left")
    },
    Check("a lease that has ended cannot be renewed, nor used by a write") { run in
      let lease = try await run.grantLong()
      try await run.store.revoke(lease)
      try await run.refuses("renew", with: "leaseEnded", { $0 == .leaseEnded }) {
        try await run.store.renew(lease)
      }
      try await run.refuses("the write", with: "leaseEnded", { $0 == .leaseEnded }) {
        try await run.write("a", [1], lease: lease)
      }
      try run.require(try await run.entry("a"), is: nil, "the entry")
      try await run.store.revoke(lease)
    },
    Check("an entry may pass from one lease to another") { run in
      let first = try await run.grantLong()
      let second = try await run.grantLong()
      let revision = try await run.put("a", [1], lease: first)
      try await run.put("a", [2], if: .revision(revision), lease: second)
      try await run.store.revoke(first)
      try run.require(try await run.entry("a")?.bytes, is: [2], "the value")
      try await run.store.revoke(second)
      try run.require(try await run.entry("a"), is: nil, "the entry")
    },
    Check("a removed entry with a lease may be written again, and then stays") { run in
      let lease = try await run.grantLong()
      try await run.put("a", [1], lease: lease)
      try await run.put("a", nil)
      try await run.put("a", [2])
      try await run.store.revoke(lease)
      try run.require(try await run.entry("a")?.bytes, is: [2], "the value")
    },
  ]
}

extension StoreChange {
  fileprivate var isRemoval: Bool {
    if case .removed = self { true } else { false }
  }
}

extension ContractRun {
  /// Renews a lease at a third of its ttl, and throws the failure if the lease or its entry ends. Returns false if a
  /// renewal came too late.
  fileprivate func keepAlive(_ name: String, times: Int) async throws -> Bool {
    var renewed = time.now
    let lease = try await grant()
    do {
      try await put(name, [1], lease: lease)
      for _ in 0..<times {
        try await time.sleep(for: lease.ttl / 3)
        let now = time.now
        try await soon("renew") { [store] in try await store.renew(lease) }
        renewed = now
      }
      try require(try await entry(name)?.bytes, is: [1], "the value")
    } catch  where error as? StoreError == .leaseEnded || error is ContractFailure {
      if time.now - renewed >= lease.ttl { return false }
      throw error is ContractFailure ? error : failure("a lease of \(lease.ttl) ended before its time")
    }
    try await store.revoke(lease)
    return true
  }

  /// Grants a lease that does not end during a check, however busy the machine is.
  fileprivate func grantLong() async throws -> StoreLease {
    try await grant(ttl: max(store.limits.shortestTTL, .seconds(300)))
  }

  /// Grants the shortest lease.
  fileprivate func grant() async throws -> StoreLease {
    try await grant(ttl: store.limits.shortestTTL)
  }

  private func grant(ttl: Duration) async throws -> StoreLease {
    let lease = try await soon("grantLease") { [store] in try await store.grantLease(ttl: ttl) }
    try require(lease.ttl >= ttl, "the lease has a ttl of \(lease.ttl), and \(ttl) was asked for")
    return lease
  }
}
