import ActorBindings

/// A store in the memory of one process: for tests, and for programs that share cells only within themselves.
///
/// ```swift
/// let store = InMemoryStore()
/// let flags = SharedCell("flags", in: store, initially: Flags())
/// ```
///
/// It keeps what was written for as long as it lives. It never loses a connection or an acknowledgement.
public final class InMemoryStore: SharedStore {
  /// `the store in memory`.
  public let name = "the store in memory"
  /// What this store accepts: entries of 1 MiB, keys of 1,024 bytes, leases of 10 milliseconds and more.
  public let limits: StoreLimits
  /// The loops that follow this store.
  public let followers: StoreFollowers

  private let time: Timeline
  private let lock = Lock()
  // Guarded by `lock`.
  private var state: InMemoryState
  // Guarded by `lock`.
  private var timers: [String: Task<Void, Never>] = [:]

  /// Creates a store.
  ///
  /// - Parameters:
  ///   - snapshot: The entries that the store has at first, as after the restoration of a backup. The first write has
  ///     the revision after that of the snapshot. Empty by default.
  ///   - limits: What the store accepts.
  ///   - history: The number of changes that the store keeps at least, for subscriptions that begin at an earlier
  ///     revision.
  ///   - clock: The clock by which leases end, and by which the loops of the cells wait.
  public init(
    _ snapshot: StoreSnapshot = StoreSnapshot(entries: [], revision: StoreRevision(0)),
    limits: StoreLimits = StoreLimits(shortestTTL: .milliseconds(10)),
    history: Int = 1_000,
    clock: some Clock<Duration> = ContinuousClock()
  ) {
    self.limits = limits
    followers = StoreFollowers(clock: clock)
    time = Timeline(clock)
    state = InMemoryState(snapshot, historyLimit: history)
  }

  deinit {
    timers.values.forEach { $0.cancel() }
  }

  /// Reads all entries of a scope.
  public func load(_ scope: StoreScope) async throws -> StoreSnapshot {
    try Task.checkCancellation()
    return lock.withLock { state.contents }.snapshot(of: scope)
  }

  /// Writes or removes one entry, if the entry is as the caller expects.
  public func write(_ write: StoreWrite) async throws -> StoreWriteResult {
    try Task.checkCancellation()
    try limits.check(write, of: name)
    let outcome = lock.withLock { state.wrote(write) }
    outcome.readers.forEach { $0.resume() }
    guard let result = outcome.result else { throw StoreError.leaseEnded }
    return result
  }

  /// Forgets the changes up to now, as an engine does that compacts its history.
  public func compact() {
    lock.withLock { state.forget(through: StoreRevision(state.revision)) }
  }

  /// The revision of the last write.
  package var revision: StoreRevision { StoreRevision(lock.withLock { state.revision }) }

  /// The number of open subscriptions.
  package var subscriptionCount: Int { lock.withLock { state.subscriptionCount } }

  /// The number of leases that have not ended.
  package var leaseCount: Int { lock.withLock { state.leaseCount } }
}

// @unchecked: `lock` guards the variables.
extension InMemoryStore: @unchecked Sendable {}

// MARK: - Subscriptions

extension InMemoryStore {
  /// Opens a subscription to the changes of a scope after a revision.
  public func changes(
    in scope: StoreScope,
    after revision: StoreRevision
  ) async throws -> any AsyncSequence<[StoreChange], any Error> & Sendable {
    try Task.checkCancellation()
    guard let id = lock.withLock({ state.subscribed(to: scope, after: revision) }) else {
      throw StoreError.historyLost
    }
    return InMemorySubscription(id, of: self)
  }

  /// Returns the next changes of a subscription; nil if the subscription has ended.
  func nextChanges(of id: Int) async throws -> [StoreChange]? {
    try Task.checkCancellation()
    while true {
      switch lock.withLock({ state.asked(id) }) {
      case .changes(let changes): return changes.values.sorted { $0.revision < $1.revision }
      case .ended:
        try Task.checkCancellation()
        return nil
      case .nothing: break
      }
      await withTaskCancellationHandler {
        await Resumption.suspend { reader in lock.withLock { state.parked(id, reader) } }
      } onCancel: {
        end(id)
      }
    }
  }

  /// Ends a subscription.
  func end(_ id: Int) {
    lock.withLock { state.left(id) }?.resume()
  }
}

// MARK: - Leases

extension InMemoryStore {
  /// Grants a lease.
  public func grantLease(ttl: Duration) async throws -> StoreLease {
    try Task.checkCancellation()
    var random = SystemRandomNumberGenerator()
    let lease = StoreLease(id: String(random.next(), radix: 36), ttl: max(ttl, limits.shortestTTL))
    let now = time.now
    lock.withLock { state.leaseGranted(lease, now: now) }
    // The timer does not keep the store alive.
    let timer = Task.detached { [weak self, time] in
      var deadline: Duration? = now + lease.ttl
      while let instant = deadline {
        guard (try? await time.sleep(until: instant)) != nil else { return }
        deadline = self?.timerFired(of: lease)
      }
    }
    let isHeld = lock.withLock {
      if state.holds(lease) { timers[lease.id] = timer }
      return state.holds(lease)
    }
    if !isHeld { timer.cancel() }
    return lease
  }

  // Returns the instant until which the timer waits; nil if the lease has ended.
  private func timerFired(of lease: StoreLease) -> Duration? {
    let now = time.now
    switch lock.withLock({ state.leaseTimerFired(lease, now: now) }) {
    case .waits(let instant): return instant
    case .ended(let readers):
      _ = lock.withLock { timers.removeValue(forKey: lease.id) }
      readers.forEach { $0.resume() }
      return nil
    }
  }

  /// Renews a lease.
  public func renew(_ lease: StoreLease) async throws {
    try Task.checkCancellation()
    let now = time.now
    guard lock.withLock({ state.leaseRenewed(lease, now: now) }) else { throw StoreError.leaseEnded }
  }

  /// Ends a lease, and removes its entries.
  public func revoke(_ lease: StoreLease) async throws {
    try Task.checkCancellation()
    let readers = lock.withLock { state.leaseRevoked(lease) }
    lock.withLock { timers.removeValue(forKey: lease.id) }?.cancel()
    readers.forEach { $0.resume() }
  }
}
