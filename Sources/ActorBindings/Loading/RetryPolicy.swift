/// A policy that decides whether and when to try a failed load again.
public struct RetryPolicy: Sendable {
  /// Returns the delay after an attempt has failed with an error; nil to give up. The first attempt has the number 1.
  public let delay: @Sendable (_ attempt: Int, _ error: any Error) -> Duration?

  /// Creates a policy from a function that returns the delay after a failed attempt.
  ///
  /// ```swift
  /// let patient = RetryPolicy { attempt, error in
  ///   error is NotFound || attempt == 10 ? nil : .seconds(attempt)
  /// }
  /// ```
  public init(_ delay: @escaping @Sendable (_ attempt: Int, _ error: any Error) -> Duration?) {
    self.delay = delay
  }

  /// Never retries.
  public static let never = RetryPolicy { _, _ in nil }

  /// Tries again after a delay that grows from one failure to the next.
  ///
  /// - Parameters:
  ///   - attempts: The largest number of attempts, including the first. Unlimited by default.
  ///   - first: The delay after the first attempt.
  ///   - factor: The factor by which the delay grows after each failure.
  ///   - limit: The longest delay.
  ///   - jitter: The largest part of a delay, from 0 to 1, by which the policy shortens the delay at random. The jitter
  ///     keeps the clients of one server from trying again at the same instant.
  public static func backoff(
    attempts: Int = .max,
    first: Duration = .milliseconds(100),
    factor: Double = 2,
    limit: Duration = .seconds(30),
    jitter: Double = 0
  ) -> RetryPolicy {
    guard attempts >= 1 else { fatalError("a load has at least 1 attempt, not \(attempts)") }
    guard first >= .zero, limit >= .zero else {
      fatalError("a delay cannot be negative: first \(first), limit \(limit)")
    }
    guard factor >= 1, factor.isFinite else {
      fatalError("delays grow by a factor of 1 or more, not \(factor)")
    }
    guard (0...1).contains(jitter) else {
      fatalError("jitter is a part of the delay, from 0 to 1, and not \(jitter)")
    }
    return RetryPolicy { attempt, _ in
      if attempt >= attempts { return nil }
      var delay = first
      for _ in 1..<attempt where delay < limit { delay = factor < limit / delay ? delay * factor : limit }
      let shortened = jitter == 0 ? 0 : Double.random(in: 0...jitter)
      return min(delay, limit) * (1 - shortened)
    }
  }
}
