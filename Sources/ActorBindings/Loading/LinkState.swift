/// The state of the link to a feed that a cell or an event source follows.
public enum LinkState: Sendable {
  /// Nothing follows a feed yet.
  case idle
  /// An attempt to open the feed is under way.
  case connecting(LoadingAttempt)
  /// The feed is open. It may not have yielded an element yet.
  case live
  /// The feed could not be opened, or it has ended. The next attempt begins after a delay.
  case waiting(LoadingAttempt)
  /// Nothing follows the feed any more.
  case ended(FollowOutcome)
}

extension LinkState {
  /// Whether the feed is open.
  public var isLive: Bool { if case .live = self { true } else { false } }

  /// The attempt that is under way, or that begins after its delay; nil in the other states.
  public var attempt: LoadingAttempt? {
    switch self {
    case .connecting(let attempt), .waiting(let attempt): attempt
    case .idle, .live, .ended: nil
    }
  }
}

extension LinkState: CustomStringConvertible {
  /// A description such as `waiting (attempt 2 in 0.5 seconds)`.
  public var description: String {
    switch self {
    case .idle: "idle"
    case .connecting(let attempt): "connecting (\(attempt))"
    case .live: "live"
    case .waiting(let attempt): "waiting (\(attempt))"
    case .ended(.finished): "ended"
    case .ended(.failed(let error)): "ended: \(error)"
    case .ended(.cancelled): "cancelled"
    }
  }
}

/// The error with which a `RetryPolicy` is asked about a feed that has ended without an error, if the end of the feed
/// counts as a failure.
public struct FeedEnded: Error, Sendable, Equatable {
  /// Creates the error, for tests of a policy.
  public init() {}
}
