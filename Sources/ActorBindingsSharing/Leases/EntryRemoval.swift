internal import ActorBindings

extension SharedStore {
  /// Returns when there is no entry with this key.
  ///
  /// The wait is one subscription to the key: it costs no requests while nothing happens, except that a subscription
  /// that was silent for the store's idle limit is replaced by another one.
  ///
  /// - Throws: A ``StoreError`` that no retry can mend; `CancellationError` if the task is cancelled.
  func entryRemoved(_ key: String, clock: some Clock<Duration>) async throws {
    let scope = StoreScope.key(key)
    var failures = 0
    while true {
      do {
        let snapshot = try await load(scope)
        guard snapshot.entries.contains(where: { $0.key.hasSameBytes(as: key) }) else { return }
        let subscription = try await changes(in: scope, after: snapshot.revision)
        switch try await subscription.end(of: key, idleLimit: limits.idleLimit, clock: clock) {
        case .removed: return
        // The subscription worked until it was silent, so another one may follow at once.
        case .silent: failures = 0
        case .closed: failures += 1
        }
      } catch let error as StoreError where error.isFinal {
        throw error
      } catch {
        failures += 1
      }
      try Task.checkCancellation()
      if failures > 0 { try await clock.sleep(afterFailures: failures) }
    }
  }
}

/// How the wait for the removal of an entry has ended.
private enum RemovalWait {
  case removed, silent, closed
}

extension AsyncSequence where Self: Sendable, Element == [StoreChange] {
  /// Reads this subscription until it yields the removal of an entry, ends, or is silent for too long.
  fileprivate func end(
    of key: String,
    idleLimit: Duration?,
    clock: some Clock<Duration>
  ) async throws -> RemovalWait {
    guard let idleLimit else { return try await removal(of: key) {} }
    let silence = Silence(limit: idleLimit, clock: clock)
    return try await withThrowingTaskGroup(of: RemovalWait.self) { group in
      group.addTask { try await removal(of: key) { silence.broken() } }
      group.addTask {
        try await silence.lasted()
        return .silent
      }
      defer { group.cancelAll() }
      return try await group.next() ?? .closed
    }
  }

  private func removal(of key: String, _ heard: () -> Void) async throws -> RemovalWait {
    for try await changes in self {
      heard()
      for case .removed(let removed, _) in changes where removed.hasSameBytes(as: key) { return .removed }
    }
    return .closed
  }
}

/// The time for which a subscription has yielded nothing.
// @unchecked: `lock` guards `lastSign`.
private final class Silence<C: Clock>: @unchecked Sendable where C.Duration == Duration {
  private let limit: Duration
  private let clock: C
  private let start: C.Instant
  private let lock = Lock()
  // The time of the last sign of life, since the start. Guarded by `lock`.
  private var lastSign = Duration.zero

  init(limit: Duration, clock: C) {
    self.limit = limit
    self.clock = clock
    start = clock.now
  }

  /// The subscription has yielded something.
  func broken() {
    let now = start.duration(to: clock.now)
    lock.withLock { lastSign = now }
  }

  /// Returns when the silence has lasted for as long as the limit.
  func lasted() async throws {
    while true {
      let end = lock.withLock { lastSign } + limit
      if start.duration(to: clock.now) >= end { return }
      try await clock.sleep(until: start.advanced(by: end), tolerance: nil)
    }
  }
}
