extension SharedStore {
  /// Writes an entry that lives while `body` runs.
  ///
  /// The body starts when the entry has been written. While it runs, the entry is renewed at a third of the ttl. If its
  /// lease has ended, after a long pause or while the store could not be reached, the entry is written again with
  /// another lease. When the body has ended, the entry is removed. (If the store does not answer within a fifth of the
  /// ttl, the entry stays until its lease ends.) If the process dies, the entry is gone one ttl after its last renewal.
  ///
  /// The last process that writes a key owns its entry: when an earlier owner leaves, the entry stays. Once the body
  /// runs, no failure of the store ends it. If the caller is cancelled, the entry lives until the body has ended.
  ///
  /// - Parameters:
  ///   - key: The key of the entry.
  ///   - bytes: The bytes of the entry.
  ///   - ttl: The time after which the entry is gone if this process has died. At least the store's
  ///     ``StoreLimits/shortestTTL``.
  ///   - clock: The clock that measures the lease.
  /// - Throws: The error of the body; ``StoreError/refused(_:)`` if the store refuses the entry before the body runs;
  ///   `CancellationError` if the caller is cancelled before that.
  package nonisolated(nonsending) func withEntry<Answer, C: Clock>(
    _ key: String,
    bytes: [UInt8],
    ttl: Duration,
    clock: C,
    _ body: nonisolated(nonsending) () async throws -> Answer
  ) async throws -> Answer where C.Duration == Duration {
    try limits.check(key: key, of: name)
    try limits.check(bytes: bytes.count, key: key, of: name)
    let presence = Presence(key: key, ttl: ttl, clock: clock, store: self) { _ in
    } write: { lease in
      _ = try await self.write(StoreWrite(key: key, bytes: bytes, expected: .anything, lease: lease))
    }
    return try await presence.run(body)
  }
}

/// An entry that is written with a lease, again and again if the lease is lost.
struct Presence<C: Clock>: Sendable where C.Duration == Duration {
  let key: String
  let ttl: Duration
  let clock: C
  let store: any SharedStore
  /// Receives the reason why the entry cannot be written; nil once it is, or the presence has ended.
  let report: @Sendable (String?) -> Void
  /// Writes the entry with a lease.
  let write: @Sendable (StoreLease) async throws -> Void

  /// Writes the entry, runs `body`, and removes the entry.
  nonisolated(nonsending) func run<Answer>(
    _ body: nonisolated(nonsending) () async throws -> Answer
  ) async throws -> Answer {
    try store.checkTTL(ttl, of: "the entry '\(key)'")
    defer { report(nil) }
    let lease = try await enter()
    // A separate task: if the caller is cancelled, the entry must live until the body has ended.
    let renewals = Task { await keep(lease) }
    do {
      let answer = try await body()
      await leave(renewals)
      return answer
    } catch {
      await leave(renewals)
      throw error
    }
  }

  /// Writes the entry with a lease.
  ///
  /// - Returns: The lease, which the caller must release.
  func enter() async throws -> LeaseKeeper<C> {
    var failures = 0
    while true {
      if let keeper = try await entered() {
        report(nil)
        return keeper
      }
      failures += 1
      try await clock.sleep(afterFailures: failures)
    }
  }

  private func reportError(_ error: any Error) { report("\(error)") }

  // Returns nil if the lease has ended before the entry was written.
  private func entered() async throws -> LeaseKeeper<C>? {
    let keeper = try await clock.retrying(reportError) {
      try await LeaseKeeper.granted(by: store, ttl: ttl, clock: clock)
    }
    do {
      try await clock.retrying(reportError) {
        guard keeper.isHeld else { throw StoreError.leaseEnded }
        try await write(keeper.lease)
      }
      return keeper
    } catch {
      await keeper.release()
      if error as? StoreError == .leaseEnded { return nil }
      throw error
    }
  }

  /// Keeps the entry alive until the task is cancelled.
  ///
  /// - Returns: The last lease.
  func keep(_ first: LeaseKeeper<C>) async -> LeaseKeeper<C> {
    var keeper = first
    while true {
      await keeper.keepRenewing()
      guard let next = await entersAgain() else { return keeper }
      keeper = next
    }
  }

  // Returns nil if the task is cancelled. The body runs, so this waits even if the store refuses.
  private func entersAgain() async -> LeaseKeeper<C>? {
    var refusals = 0
    while !Task.isCancelled {
      do {
        return try await enter()
      } catch {
        refusals += 1
        if !Task.isCancelled { report("\(error)") }
      }
      try? await clock.sleep(afterFailures: refusals)
    }
    return nil
  }

  /// Removes the entry.
  func leave(_ renewals: Task<LeaseKeeper<C>, Never>) async {
    renewals.cancel()
    await renewals.value.release()
  }
}

extension SharedDictionary {
  /// Sets the value of a key for all processes while `body` runs.
  ///
  /// The body starts when the store has acknowledged the entry, which this dictionary holds then. While the body runs,
  /// the library renews the entry's lease at a third of the ttl. If the lease has ended, after a long pause or while
  /// the store could not be reached, the library writes the entry again with another lease. When the body has ended,
  /// the entry is removed. (If the store does not answer within a fifth of the ttl, the entry stays until its lease
  /// ends.) If the process dies, the entry is gone one ttl after its last renewal.
  ///
  /// Let only one process at a time be present under a key: the last one that writes a key owns its entry, and the
  /// entry stays when an earlier owner leaves. `modify` of the same key takes the entry from its lease, so that the
  /// entry stays after the body. Each call has a lease of its own, and sends three requests per ttl.
  ///
  /// Once the body runs, no failure of the store ends it. If the caller is cancelled, the entry lives until the body
  /// has ended.
  ///
  /// - Parameters:
  ///   - value: The value of the entry.
  ///   - key: The key of the entry.
  ///   - ttl: The time after which the entry is gone if this process has died. At least the store's
  ///     ``StoreLimits/shortestTTL``.
  ///   - clock: The clock that measures the lease.
  ///   - body: What runs while the entry is there.
  /// - Throws: The error of the body; ``StoreError/refused(_:)`` if the store refuses the entry before the body runs;
  ///   `CancellationError` if the caller is cancelled before that.
  public nonisolated(nonsending) func withPresence<Answer, C: Clock>(
    _ value: Value,
    for key: Key,
    ttl: Duration = .seconds(10),
    clock: C = ContinuousClock(),
    _ body: nonisolated(nonsending) () async throws -> Answer
  ) async throws -> Answer where C.Duration == Duration {
    let id = store.followers.makeTicket()
    let presence = Presence(key: storeKey(of: key), ttl: ttl, clock: clock, store: store) {
      [entries] reason in
      if let reason { entries.requestFailed(id, reason) } else { entries.requestAnswered(id) }
    } write: { lease in
      try await self.set(value, forKey: key, lease: lease)
    }
    return try await presence.run(body)
  }
}
