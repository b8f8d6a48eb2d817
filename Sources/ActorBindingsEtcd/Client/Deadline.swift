package import ActorBindings
package import ActorBindingsSharing

extension Timeline {
  /// Runs `body`, and cancels it after a time. Returns nil if `body` had not ended by then, unless it then says that
  /// nothing was sent.
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
      if let result = try await group.next() ?? nil { return result }
      group.cancelAll()
      // A result that comes now does not count: the cancellation may have ended what it stands for, such as a watch.
      do {
        _ = try await group.next()
      } catch let error as EtcdTransportError {
        switch error {
        case .notSent, .noResources: throw error
        case .interrupted: break
        }
      } catch {}
      return nil
    }
  }

  /// Runs `body`, and cancels it once it has reported no progress for a time. Returns nil if it was cancelled.
  ///
  /// The time may be twice as long, because progress is looked at once in `limit`.
  package func whileProgressing<R: Sendable>(
    _ limit: Duration,
    _ body: @escaping @Sendable (_ progress: BindableActor<Int>) async throws -> R
  ) async throws -> R? {
    let progress = BindableActor(0)
    return try await withThrowingTaskGroup(of: R?.self) { group in
      group.addTask { try await body(progress) }
      group.addTask {
        var seen = -1
        while progress.value != seen {
          seen = progress.value
          try await sleep(for: limit)
        }
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }
}
