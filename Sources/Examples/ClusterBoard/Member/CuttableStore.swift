import ActorBindings
import ActorBindingsSharing

/// A store that can be cut off from its process, as if a cable were pulled. It shows how a store of your own wraps
/// another one.
///
/// A pulled cable answers nothing. So while the store is cut off, a request waits, until its caller gives up or the
/// store is healed, and a subscription is silent.
final class CuttableStore: SharedStore {
  let followers = StoreFollowers()
  private let store: any SharedStore
  private let isCut = BindableActor(false)

  init(_ store: some SharedStore) {
    self.store = store
  }

  var name: String { store.name }

  /// The limits of the store, and the time after which silence counts as a lost connection: a folder has none, because
  /// nothing lies between it and this process.
  var limits: StoreLimits {
    var limits = store.limits
    limits.idleLimit = limits.idleLimit ?? .seconds(3)
    return limits
  }

  func cut() { isCut.send(true) }

  func heal() { isCut.send(false) }

  // Waits while the store is cut off. The request that has waited fails: it was lost on its way.
  private func check() async throws {
    guard isCut.value else { return }
    _ = await isCut.first { !$0 }
    try Task.checkCancellation()
    throw StoreError.unavailable("cut off by the button")
  }

  func load(_ scope: StoreScope) async throws -> StoreSnapshot {
    try await check()
    return try await store.load(scope)
  }

  func changes(
    in scope: StoreScope,
    after revision: StoreRevision
  ) async throws -> any AsyncSequence<[StoreChange], any Error> & Sendable {
    try await check()
    let changes = try await store.changes(in: scope, after: revision)
    return AsyncThrowingStream { writer in
      let copying = Task { [isCut] in
        do {
          for try await batch in changes {
            if isCut.value {
              // What arrives while the store is cut off is lost, and so the subscription ends once it is healed.
              _ = await isCut.first { !$0 }
              throw StoreError.unavailable("cut off by the button")
            }
            writer.yield(batch)
          }
          writer.finish()
        } catch {
          writer.finish(throwing: error)
        }
      }
      writer.onTermination = { _ in copying.cancel() }
    }
  }

  func write(_ write: StoreWrite) async throws -> StoreWriteResult {
    try await check()
    return try await store.write(write)
  }

  func grantLease(ttl: Duration) async throws -> StoreLease {
    try await check()
    return try await store.grantLease(ttl: ttl)
  }

  func renew(_ lease: StoreLease) async throws {
    try await check()
    try await store.renew(lease)
  }

  func revoke(_ lease: StoreLease) async throws {
    try await check()
    try await store.revoke(lease)
  }
}
