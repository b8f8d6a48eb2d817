internal import ActorBindings

extension StoreError {
  /// Whether the same request would fail each time.
  package var isFinal: Bool {
    switch self {
    case .refused, .leaseEnded: true
    case .unavailable, .uncertain, .historyLost: false
    }
  }
}

extension Clock where Duration == Swift.Duration {
  /// Calls `request` until it succeeds, with delays that grow up to 5 seconds.
  ///
  /// - Parameter report: Receives the error from the third failure in a row on.
  /// - Throws: A ``StoreError`` that no retry can mend; `CancellationError` if the task is cancelled.
  nonisolated(nonsending) func retrying<Answer>(
    _ report: (any Error) -> Void = { _ in },
    _ request: nonisolated(nonsending) () async throws -> Answer
  ) async throws -> Answer {
    var failures = 0
    while true {
      do {
        return try await request()
      } catch let error as StoreError where error.isFinal {
        throw error
      } catch {
        try Task.checkCancellation()
        failures += 1
        if failures > 2 { report(error) }
        try await sleep(afterFailures: failures)
      }
    }
  }

  /// Sleeps before a request is repeated. The jitter keeps processes from repeating their requests at the same time.
  func sleep(afterFailures failures: Int) async throws {
    let delays = RetryPolicy.backoff(first: .milliseconds(100), limit: .seconds(5), jitter: 0.5)
    guard let delay = delays.delay(failures, CancellationError()) else { return }
    try await sleep(until: now.advanced(by: delay), tolerance: nil)
  }

  /// Calls `request`, and cancels it at an instant.
  ///
  /// - Throws: ``StoreError/unavailable(_:)`` if the request was cancelled at that instant.
  func limited<Answer: Sendable>(
    until instant: Instant,
    _ request: @escaping @Sendable () async throws -> Answer
  ) async throws -> Answer {
    typealias Outcome = Result<Answer, any Error>
    let result = await withTaskGroup(of: Outcome?.self) { group -> Outcome? in
      group.addTask { await Result(of: request) }
      group.addTask {
        try? await self.sleep(until: instant, tolerance: nil)
        return nil
      }
      defer { group.cancelAll() }
      if let first = await group.next(), let result = first { return result }
      group.cancelAll()
      // The request may have succeeded although it was cancelled.
      if case .success(let answer)?? = await group.next() { return .success(answer) }
      return nil
    }
    if let result { return try result.get() }
    try Task.checkCancellation()
    throw StoreError.unavailable("the store did not answer in time")
  }
}

extension Result where Failure == any Error {
  /// The outcome of a call.
  nonisolated(nonsending) init(of call: nonisolated(nonsending) () async throws -> Success) async {
    do {
      self = .success(try await call())
    } catch {
      self = .failure(error)
    }
  }
}
