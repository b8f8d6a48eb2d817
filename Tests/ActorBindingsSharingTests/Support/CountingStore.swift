import ActorBindings
import ActorBindingsSharing

/// A store that counts the calls to another one, and refuses some loads.
final class CountingStore: SharedStore {
  let base: InMemoryStore
  let followers = StoreFollowers()
  let loads = BindableActor(0)
  let subscriptions = BindableActor(0)
  let writes = BindableActor(0)
  /// The number of loads that are still to be refused.
  let refusals = BindableActor(0)

  init(_ base: InMemoryStore) {
    self.base = base
  }

  var name: String { base.name }
  var limits: StoreLimits { base.limits }

  func load(_ scope: StoreScope) async throws -> StoreSnapshot {
    loads.modify { $0 += 1 }
    let isRefused = refusals.modify { count in
      defer { count = max(0, count - 1) }
      return count > 0
    }
    if isRefused { throw StoreError.refused("not yet") }
    return try await base.load(scope)
  }

  func changes(
    in scope: StoreScope,
    after revision: StoreRevision
  ) async throws -> any AsyncSequence<[StoreChange], any Error> & Sendable {
    subscriptions.modify { $0 += 1 }
    return try await base.changes(in: scope, after: revision)
  }

  func write(_ write: StoreWrite) async throws -> StoreWriteResult {
    writes.modify { $0 += 1 }
    return try await base.write(write)
  }

  func grantLease(ttl: Duration) async throws -> StoreLease { try await base.grantLease(ttl: ttl) }
  func renew(_ lease: StoreLease) async throws { try await base.renew(lease) }
  func revoke(_ lease: StoreLease) async throws { try await base.revoke(lease) }
}

extension SharedLink {
  /// The reason of a stale link; nil if the link is not stale.
  var staleReason: String? {
    if case .stale(_, let reason) = self { reason } else { nil }
  }
}

extension SharedStore {
  /// Writes a number, or removes the entry, and expects nothing.
  func put(_ value: Int?, _ key: String) async throws {
    let bytes = value.map { Array("\($0)".utf8) }
    _ = try await write(StoreWrite(key: key, bytes: bytes, expected: .anything))
  }
}
