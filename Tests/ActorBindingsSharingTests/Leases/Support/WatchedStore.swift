import ActorBindings
import ActorBindingsSharing

/// A store that records each request, does with it what the test says, and passes it on to another store.
// @unchecked: `lock` guards the variables.
final class WatchedStore: SharedStore, @unchecked Sendable {
  enum Request: Hashable, Sendable {
    case load(StoreScope), subscribe(StoreScope), write(String), grant, renew, revoke
  }

  typealias Hook = @Sendable (Request) async throws -> Void

  let base: any SharedStore
  let limits: StoreLimits
  var name: String { base.name }
  var followers: StoreFollowers { base.followers }

  private let lock = Lock()
  private var recorded: [Request] = []
  private var renewalCount = 0
  private var storedBefore: Hook?
  private var storedAfter: Hook?

  init(_ base: any SharedStore, limits: StoreLimits? = nil) {
    self.base = base
    self.limits = limits ?? base.limits
  }

  /// The requests since the last call of `forget`.
  var requests: [Request] { lock.withLock { recorded } }

  /// The number of renewals that have succeeded.
  var renewals: Int { lock.withLock { renewalCount } }

  func forget() {
    lock.withLock { recorded = [] }
  }

  /// The number of requests like this one.
  func count(_ isCounted: (Request) -> Bool) -> Int { requests.count(where: isCounted) }

  /// Runs before each request is passed on.
  var before: Hook? {
    get { lock.withLock { storedBefore } }
    set { lock.withLock { storedBefore = newValue } }
  }

  /// Runs after each request has succeeded.
  var after: Hook? {
    get { lock.withLock { storedAfter } }
    set { lock.withLock { storedAfter = newValue } }
  }

  private func passing<Answer: Sendable>(
    _ request: Request,
    _ send: () async throws -> Answer
  ) async throws -> Answer {
    lock.withLock { recorded.append(request) }
    try await before?(request)
    let answer = try await send()
    try await after?(request)
    return answer
  }

  func load(_ scope: StoreScope) async throws -> StoreSnapshot {
    try await passing(.load(scope)) { try await base.load(scope) }
  }

  func changes(
    in scope: StoreScope,
    after revision: StoreRevision
  ) async throws -> any AsyncSequence<[StoreChange], any Error> & Sendable {
    lock.withLock { recorded.append(.subscribe(scope)) }
    try await before?(.subscribe(scope))
    return try await base.changes(in: scope, after: revision)
  }

  func write(_ write: StoreWrite) async throws -> StoreWriteResult {
    try await passing(.write(write.key)) { try await base.write(write) }
  }

  func grantLease(ttl: Duration) async throws -> StoreLease {
    try await passing(.grant) { try await base.grantLease(ttl: ttl) }
  }

  func renew(_ lease: StoreLease) async throws {
    try await passing(.renew) { try await base.renew(lease) }
    lock.withLock { renewalCount += 1 }
  }

  func revoke(_ lease: StoreLease) async throws {
    try await passing(.revoke) { try await base.revoke(lease) }
  }
}
