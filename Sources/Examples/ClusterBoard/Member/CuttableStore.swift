import ActorBindings
import ActorBindingsSharing

/// A store that can be cut off from its process, as if a cable were pulled. It shows how a store of your own wraps
/// another one.
final class CuttableStore: SharedStore {
  let followers = StoreFollowers()
  private let store: any SharedStore
  private let isCut = BindableActor(false)

  init(_ store: some SharedStore) {
    self.store = store
  }

  var name: String { store.name }
  var limits: StoreLimits { store.limits }

  /// Lets each request fail, and each subscription end.
  func cut() { isCut.send(true) }

  func heal() { isCut.send(false) }

  private func check() throws {
    if isCut.value { throw StoreError.unavailable("cut off by the button") }
  }

  func load(_ scope: StoreScope) async throws -> StoreSnapshot {
    try check()
    return try await store.load(scope)
  }

  func changes(
    in scope: StoreScope,
    after revision: StoreRevision
  ) async throws -> any AsyncSequence<[StoreChange], any Error> & Sendable {
    try check()
    let changes = try await store.changes(in: scope, after: revision)
    return AsyncThrowingStream { writer in
      // Ends with the subscription, with the cut, or when the reader leaves.
      let copying = Task { [isCut] in
        await withTaskGroup { group in
          group.addTask {
            _ = await isCut.first { $0 }
            writer.finish(throwing: StoreError.unavailable("cut off by the button"))
          }
          group.addTask {
            do {
              for try await batch in changes { writer.yield(batch) }
              writer.finish()
            } catch {
              writer.finish(throwing: error)
            }
          }
          await group.next()
          group.cancelAll()
        }
      }
      writer.onTermination = { _ in copying.cancel() }
    }
  }

  func write(_ write: StoreWrite) async throws -> StoreWriteResult {
    try check()
    return try await store.write(write)
  }

  func grantLease(ttl: Duration) async throws -> StoreLease {
    try check()
    return try await store.grantLease(ttl: ttl)
  }

  func renew(_ lease: StoreLease) async throws {
    try check()
    try await store.renew(lease)
  }

  func revoke(_ lease: StoreLease) async throws {
    try check()
    try await store.revoke(lease)
  }
}
