/// Whether a load that has failed is tried again, and when.
public struct RetryPolicy: Sendable {
  /// How long to wait after the given attempt, the first one being 1, has failed with an error; nil to give up.
  public let delay: @Sendable (_ attempt: Int, _ error: any Error) -> Duration?

  /// A policy of your own.
  ///
  /// ```swift
  /// let patient = RetryPolicy { attempt, error in
  ///   error is NotFound || attempt == 10 ? nil : .seconds(attempt)
  /// }
  /// ```
  public init(_ delay: @escaping @Sendable (_ attempt: Int, _ error: any Error) -> Duration?) {
    self.delay = delay
  }

  /// What has failed has failed.
  public static let never = RetryPolicy { _, _ in nil }

  /// Tries again after a delay that grows from one failure to the next.
  ///
  /// - Parameters:
  ///   - attempts: How many there are at most, with the first one. Without end if nothing is said.
  ///   - first: The delay after the first one.
  ///   - factor: How much longer each delay is than the one before.
  ///   - limit: No delay is longer.
  ///   - jitter: By how much of itself a delay may be shortened, at random: so that many clients of one server do not come
  ///     back at the same instant. 0 to 1.
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
