package import ActorBindings

/// Measures how fast the exchange answers. This service does not know its readers.
package final class Health: Sendable {
  /// An answer of the exchange.
  package struct Reply: Sendable, Equatable {
    package var milliseconds: Int
    package var received: ContinuousClock.Instant

    package init(milliseconds: Int, received: ContinuousClock.Instant = .now) {
      self.milliseconds = milliseconds
      self.received = received
    }
  }

  package let cell: LoadingCell<Reply>

  /// - Parameters:
  ///   - retry: What happens when the exchange does not answer.
  ///   - ask: Sends one request to the exchange, and returns the milliseconds until its answer.
  package init(
    retry: RetryPolicy = .backoff(attempts: 4, first: .milliseconds(400), jitter: 0.2),
    asking ask: @escaping @Sendable () async throws -> Int = askExchange
  ) {
    cell = LoadingCell(retry: retry) {
      Reply(milliseconds: try await ask())
    }
  }

  /// Asks the exchange every three seconds, until the task is cancelled.
  package func run() async {
    // The cell holds the result, also if it is an error.
    repeat { _ = try? await cell.reload() } while (try? await Task.sleep(for: .seconds(3))) != nil
    // A load does not end with the task that asked for it, because other tasks may wait for it too.
    cell.cancel()
  }
}

package struct NoAnswer: Error, CustomStringConvertible {
  package init() {}
  package var description: String { "no answer" }
}

/// Simulates an exchange on a bad day.
@Sendable
package func askExchange() async throws -> Int {
  let milliseconds = Int.random(in: 30...300)
  try await Task.sleep(for: .milliseconds(milliseconds))
  if Int.random(in: 0..<5) < 2 { throw NoAnswer() }
  return milliseconds
}
