import ActorBindings
public import ActorBindingsSharing

/// A store that passes everything on to another store, and has the faults that a test tells it to have.
///
/// ```swift
/// let store = ScriptedStore(InMemoryStore())
/// let flags = SharedCell("flags", in: store, initially: Flags())
/// …
/// store.begin(.unavailable)       // the store cannot be reached
/// store.endConnections()          // and its subscriptions end
/// _ = await flags.link.first { $0 != .live }
/// store.mend()
/// ```
///
/// Faults act on calls that begin after them, and on the changes that subscriptions would yield.
public final class ScriptedStore: SharedStore {
  /// A fault that lasts until it is ended.
  public enum Fault: Hashable, Sendable {
    /// Calls throw `unavailable`. Subscriptions that are open go on.
    case unavailable
    /// Calls do not return before the fault ends, and then throw `unavailable`. A subscription whose change is held back by this fault yields nothing any more, also later.
    case silent
    /// The store does not have the history that a new subscription asks for.
    case historyLost
    /// Subscriptions yield each array of changes twice.
    case duplicates
    /// A new subscription begins with the changes that earlier ones have yielded last, as if the network had delayed
    /// them.
    case lateChanges
    /// Each call, and each array of changes, takes so long by the clock.
    case slow(Duration)
    /// Calls throw `refused` with this message.
    case refusing(String)
    /// Writes are applied, but throw `uncertain`.
    case acknowledgementsLost
    /// Writes are not applied, and throw `uncertain`.
    case writesLost
  }

  /// What this store accepts, with the idle limit of the initializer.
  public let limits: StoreLimits
  /// The loops that follow this store.
  public let followers: StoreFollowers
  private let time: Timeline
  private let script: Script

  /// Creates a store without faults.
  ///
  /// - Parameters:
  ///   - base: The store that keeps the entries.
  ///   - idleLimit: The time within which the loops of the cells notice a silent connection.
  ///   - clock: The clock by which the loops and slow calls wait.
  public convenience init(
    _ base: any SharedStore,
    idleLimit: Duration = .seconds(3),
    clock: some Clock<Duration> = ContinuousClock()
  ) {
    self.init(base, idleLimit: idleLimit, clock: clock) { .random(in: 0...1) }
  }

  /// Creates a store without faults, whose loops take the jitter of their delays from a function: from 0 to 1.
  package init(
    _ base: any SharedStore,
    idleLimit: Duration = .seconds(3),
    clock: some Clock<Duration>,
    jitter: @escaping @Sendable () -> Double
  ) {
    var limits = base.limits
    limits.idleLimit = idleLimit
    self.limits = limits
    followers = StoreFollowers(clock: clock, jitter: jitter)
    time = Timeline(clock)
    script = Script(base)
  }

  /// The name of the store that keeps the entries.
  public var name: String { script.base.name }

  /// The number of open subscriptions.
  public var connectionCount: Int { script.connectionCount }
}

// MARK: - The script

extension ScriptedStore {
  /// Begins a fault.
  public func begin(_ fault: Fault) {
    script.began(fault)
  }

  /// Ends a fault.
  public func end(_ fault: Fault) {
    script.ended([fault]).forEach { $0.resume() }
  }

  /// Ends all faults.
  public func mend() {
    script.ended(nil).forEach { $0.resume() }
  }

  /// Ends all open subscriptions, as a store does that restarts.
  public func endConnections() {
    script.connections.forEach { $0.cut() }
  }

  /// Replaces the store that keeps the entries, and ends all open subscriptions. The new store may be at an earlier
  /// revision, as a restored backup is, or further on.
  public func replace(by base: any SharedStore) {
    withExtendedLifetime(script.replaced(by: base)) { endConnections() }
  }
}

// MARK: - Calls

extension ScriptedStore {
  /// Reads all entries of a scope.
  public func load(_ scope: StoreScope) async throws -> StoreSnapshot {
    try await reached()
    return try await script.base.load(scope)
  }

  /// Opens a subscription to the changes of a scope after a revision.
  public func changes(
    in scope: StoreScope,
    after revision: StoreRevision
  ) async throws -> any AsyncSequence<[StoreChange], any Error> & Sendable {
    try await reached()
    if script.has(.historyLost) { throw StoreError.historyLost }
    let connection = ScriptedConnection(script, time)
    script.opened(connection)
    do {
      connection.start(try await script.base.changes(in: scope, after: revision))
    } catch {
      connection.close()
      throw error
    }
    return ScriptedSubscription(connection)
  }

  /// Writes or removes one entry.
  public func write(_ write: StoreWrite) async throws -> StoreWriteResult {
    try await reached()
    if script.has(.writesLost) { throw StoreError.uncertain("the request was lost") }
    let result = try await script.base.write(write)
    if script.has(.acknowledgementsLost) { throw StoreError.uncertain("the acknowledgement was lost") }
    return result
  }

  /// Grants a lease.
  public func grantLease(ttl: Duration) async throws -> StoreLease {
    try await reached()
    return try await script.base.grantLease(ttl: ttl)
  }

  /// Renews a lease.
  public func renew(_ lease: StoreLease) async throws {
    try await reached()
    try await script.base.renew(lease)
  }

  /// Ends a lease.
  public func revoke(_ lease: StoreLease) async throws {
    try await reached()
    try await script.base.revoke(lease)
  }

  // Lets the faults act on a call.
  private func reached() async throws {
    if let delay = script.delay { try await time.sleep(for: delay) }
    try Task.checkCancellation()
    if let reason = script.refusal { throw StoreError.refused(reason) }
    if script.has(.silent) {
      try await script.silenceEnded()
      throw StoreError.unavailable("the store was silent")
    }
    if script.has(.unavailable) { throw StoreError.unavailable("the store cannot be reached") }
  }
}
