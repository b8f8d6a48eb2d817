/// One attempt of a process to lead: an entry with a lease, the wait for the candidates before it, and the body.
struct Candidacy<C: Clock>: Sendable where C.Duration == Duration {
  private let store: any SharedStore
  private let clock: C
  private let prefix: String
  private let key: String
  private let keeper: LeaseKeeper<C>

  /// Requests a lease. The caller must call `run` next.
  init(of name: String, ttl: Duration, clock: C, in store: any SharedStore) async throws {
    self.store = store
    self.clock = clock
    prefix = "leadership/\(name)/"
    key = prefix + randomName()
    keeper = try await clock.retrying { try await LeaseKeeper.granted(by: store, ttl: ttl, clock: clock) }
  }

  // What has happened to the candidate.
  private enum Event<Answer: Sendable>: Sendable {
    /// The lease was lost, or the caller was cancelled.
    case leaseWatchEnded
    /// No other candidate is before this one.
    case turnCame(StoreRevision)
    /// The wait for the turn has failed.
    case waitFailed(any Error)
    /// The leader's entry is gone, or the watch for that has failed.
    case entryWatchEnded(isRemoved: Bool)
    case bodyEnded(Result<Answer, any Error>)
  }

  /// Waits for its turn, runs the body, and leaves.
  ///
  /// - Returns: The result for the caller; nil if the lease has ended before the turn came.
  func run<Answer: Sendable>(
    _ body: @escaping @Sendable (Leadership) async throws -> Answer
  ) async throws -> Result<Answer, any Error>? {
    // A separate task: if the caller is cancelled, the lease must last until the body has ended.
    let renewals = Task { [keeper] in await keeper.keepRenewing() }
    let result = await lead(body)
    renewals.cancel()
    await renewals.value
    await keeper.release()
    if result == nil { try Task.checkCancellation() }
    return result
  }

  private func lead<Answer: Sendable>(
    _ body: @escaping @Sendable (Leadership) async throws -> Answer
  ) async -> Result<Answer, any Error>? {
    await withTaskGroup(of: Event<Answer>.self) { group in
      group.addTask { [keeper] in
        await keeper.untilLost()
        return .leaseWatchEnded
      }
      group.addTask { await turn() }
      defer { group.cancelAll() }
      var isLeading = false
      while let event = await group.next() {
        switch event {
        case .turnCame(let revision):
          if Task.isCancelled || !keeper.isHeld { return nil }
          isLeading = true
          let leadership = Leadership(fencingNumber: revision.number) { [keeper] in keeper.isHeld }
          group.addTask { .bodyEnded(await Result(of: { try await body(leadership) })) }
          group.addTask { await entryWatch() }
        case .waitFailed(StoreError.leaseEnded):
          return nil
        case .waitFailed(let error):
          return .failure(error)
        case .entryWatchEnded(isRemoved: true):
          keeper.entryRemoved()
          group.cancelAll()
        case .entryWatchEnded(isRemoved: false):
          break
        case .leaseWatchEnded:
          // If the caller was cancelled, its children are cancelled already.
          group.cancelAll()
          if !isLeading, keeper.loss != nil { return nil }
        case .bodyEnded(let result):
          return resolved(result)
        }
      }
      return nil
    }
  }

  // Returns what the caller receives. What a body returned after the lease was lost may have met another leader.
  private func resolved<Answer>(_ result: Result<Answer, any Error>) -> Result<Answer, any Error> {
    guard let loss = keeper.loss else { return result }
    if case .failure(let error) = result, !(error is CancellationError) { return result }
    return .failure(loss)
  }
}

// MARK: - Waiting

extension Candidacy {
  // Writes the entry, and waits until no other candidate is before this one.
  private func turn<Answer>() async -> Event<Answer> {
    do {
      try await clock.retrying { try await enter() }
      while true {
        let snapshot = try await clock.retrying { try await store.load(.prefix(prefix)) }
        switch CandidateQueue(snapshot.entries, prefix: prefix).place(of: key) {
        case .first(let revision): return .turnCame(revision)
        case .behind(let earlier): try await store.entryRemoved(earlier, clock: clock)
        case .absent: throw StoreError.leaseEnded
        }
      }
    } catch {
      return .waitFailed(error)
    }
  }

  // Only this candidate writes this key. So if there is an entry already, an earlier attempt has written it, whose
  // acknowledgement was lost.
  private func enter() async throws {
    _ = try await store.write(
      StoreWrite(key: key, bytes: Array(key.utf8), expected: .absent, lease: keeper.lease)
    )
  }

  private func entryWatch<Answer>() async -> Event<Answer> {
    do {
      try await store.entryRemoved(key, clock: clock)
      return .entryWatchEnded(isRemoved: true)
    } catch {
      return .entryWatchEnded(isRemoved: false)
    }
  }
}

/// Returns a name that no other process chooses.
private func randomName() -> String {
  (0..<2).map { _ in String(UInt64.random(in: 0...UInt64.max), radix: 36) }.joined(separator: "-")
}
