internal import ActorBindings

/// A lease that is renewed while its holder needs it: the shell around ``LeaseState``.
// @unchecked: `lock` guards `state`.
package final class LeaseKeeper<C: Clock>: @unchecked Sendable where C.Duration == Duration {
  package let lease: StoreLease

  private let store: any SharedStore
  private let clock: C
  // The instant at which the request for the lease started.
  private let start: C.Instant
  private let patience: Duration
  // Ends when the lease is lost, or the renewals are cancelled.
  private let losses: AsyncStream<Never>
  private let renewalsEnd: AsyncStream<Never>.Continuation

  private let lock = Lock()
  // Guarded by `lock`.
  private var state: LeaseState

  /// Requests a lease. The caller must call `release` when it does not need the lease any more.
  package static func granted(
    by store: any SharedStore,
    ttl: Duration,
    clock: C
  ) async throws -> LeaseKeeper {
    let start = clock.now
    let lease = try await store.grantLease(ttl: ttl)
    return LeaseKeeper(lease, store: store, clock: clock, start: start)
  }

  private init(_ lease: StoreLease, store: any SharedStore, clock: C, start: C.Instant) {
    self.lease = lease
    self.store = store
    self.clock = clock
    self.start = start
    let state = LeaseState(ttl: lease.ttl)
    (self.state, patience) = (state, state.patience)
    (losses, renewalsEnd) = AsyncStream.makeStream(of: Never.self)
  }

  /// Whether the lease lasts, by the local clock.
  package var isHeld: Bool {
    if case .lasts = look() { true } else { false }
  }

  /// The reason for which the lease was lost, by the local clock; nil if the lease lasts.
  package var loss: StoreError? {
    if case .lost(let reason) = look() { reason } else { nil }
  }

  /// The holder has seen that the store holds its entry no more, so the lease counts as lost.
  package func entryRemoved() {
    lock.withLock { state.entryRemoved() }
  }

  private func look() -> LeaseState.Belief {
    let now = elapsed
    return lock.withLock { state.holderLooked(at: now) }
  }

  // Only the shell uses the clock's instants: comparing them may run a user's code, which must not run under the lock.
  private var elapsed: Duration { start.duration(to: clock.now) }
}

// MARK: - Renewing

extension LeaseKeeper {
  /// Renews the lease until it is lost, or the task is cancelled. Call it at most once.
  package func keepRenewing() async {
    defer { renewalsEnd.finish() }
    while !Task.isCancelled {
      let now = elapsed
      switch lock.withLock({ state.renewerWoke(at: now) }) {
      case .wait(let time):
        if await sleep(until: time) { continue }
        if !Task.isCancelled { lock.withLock { state.renewerFailed() } }
        return
      case .renew(let limit):
        await renew(until: limit)
      case .stop:
        return
      }
    }
  }

  private func renew(until limit: Duration) async {
    do {
      try await clock.limited(until: start.advanced(by: limit)) { [store, lease] in
        try await store.renew(lease)
      }
      let now = elapsed
      lock.withLock { state.renewed(at: now) }
    } catch {
      let now = elapsed
      lock.withLock { state.renewalFailed(error, at: now) }
    }
  }

  /// Returns when the lease is lost, or the task is cancelled, even if a request to the store does not end. Call it at
  /// most once, while another task runs `keepRenewing`.
  package func untilLost() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { for await _ in self.losses {} }
      group.addTask { await self.untilExpired() }
      await group.next()
      group.cancelAll()
    }
  }

  private func untilExpired() async {
    while case .lasts(let time) = look() {
      guard await sleep(until: time) else { break }
    }
    // Safe if the clock does not wait: then the lease counts as lost.
    if !Task.isCancelled { lock.withLock { state.renewerFailed() } }
  }

  private func sleep(until time: Duration) async -> Bool {
    do {
      try await clock.sleep(until: start.advanced(by: time), tolerance: nil)
      return true
    } catch {
      return false
    }
  }
}

// MARK: - Releasing

extension LeaseKeeper {
  /// Revokes the lease, so that the store removes its entries. If the store does not answer within a fifth of the ttl,
  /// the entries stay until the lease ends.
  package func release() async {
    lock.withLock { state.holderLeft() }
    let limit = clock.now.advanced(by: patience)
    // A separate task: the caller may be cancelled already, and the request must be sent all the same.
    await Task { [clock, store, lease] in
      try? await clock.limited(until: limit) { try await store.revoke(lease) }
    }.value
  }
}
