import ActorBindingsSharing

extension Timeline {
  /// Runs `body`, and cancels it after a time. Returns nil if `body` had not ended by then.
  func within<R: Sendable>(
    _ limit: Duration,
    _ body: @escaping @Sendable () async throws -> R
  ) async throws -> R? {
    try await withThrowingTaskGroup(of: R?.self) { group in
      group.addTask { try await body() }
      group.addTask {
        try await sleep(for: limit)
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }
}
