/// What a shared cell knows of its connection to the store.
public enum SharedLink: Hashable, Sendable {
  /// The cell does not follow the store: `run` does not run.
  case idle
  /// The cell waits for the first load.
  case connecting
  /// The store has confirmed the subscription: the cell follows each change.
  case live
  /// The cell keeps what it holds, which was known to be current until `since`. The loop goes on trying.
  ///
  /// The reason is a sentence without a full stop, for a log or a person. It is also the reason why a value cannot be
  /// decoded (then the cell keeps the value before), or why a write of this cell waits for the store.
  case stale(since: ContinuousClock.Instant, reason: String)
  /// The store has refused, and `run` has thrown: trying again does not help.
  case ended(reason: String)
}

extension SharedLink: CustomStringConvertible {
  /// The state, and the reason if there is one.
  public var description: String {
    switch self {
    case .idle: "idle"
    case .connecting: "connecting"
    case .live: "live"
    case .stale(let since, let reason): "stale for \(since.duration(to: .now)): \(reason)"
    case .ended(let reason): "ended: \(reason)"
    }
  }
}
