public import ActorBindingsSharing

extension EtcdStore {
  /// Grants a lease. etcd counts in seconds: the ttl is rounded up.
  public func grantLease(ttl: Duration) async throws -> StoreLease {
    try Task.checkCancellation()
    let asked = max(ttl, limits.shortestTTL).components
    let seconds = UInt64(asked.seconds) + (asked.attoseconds > 0 ? 1 : 0)
    let lease = try await request {
      try await client.call(
        "/v3/lease/grant",
        EtcdRequest.Grant(ttl: seconds),
        as: EtcdResponse.Lease.self
      )
    }
    return StoreLease(id: lease.id, ttl: .seconds(lease.ttl ?? seconds))
  }

  /// Renews a lease. Waits for the answer of a member for at most a sixth of the ttl.
  public func renew(_ lease: StoreLease) async throws {
    try Task.checkCancellation()
    let line = try await request {
      let line = try await client.call(
        "/v3/lease/keepalive",
        EtcdRequest.Lease(id: lease.id),
        as: EtcdResponse.Line<EtcdResponse.Lease>.self,
        // The holder of the lease gives up after a fifth of the ttl. If this request only ended by the holder's
        // cancellation, the next renewal would ask the same member, even if that member is frozen.
        within: lease.ttl / 6
      )
      if let rejection = line.error { throw EtcdTrouble.rejected(rejection) }
      return line
    }
    if (line.result?.ttl ?? 0) == 0 { throw StoreError.leaseEnded }
  }

  /// Ends a lease, and removes its entries. Does nothing if the lease has ended.
  public func revoke(_ lease: StoreLease) async throws {
    try Task.checkCancellation()
    do {
      _ = try await request {
        try await client.call(
          "/v3/lease/revoke",
          EtcdRequest.Lease(id: lease.id),
          as: EtcdResponse.Revoke.self
        )
      }
    } catch StoreError.leaseEnded {
      return
    }
  }
}
