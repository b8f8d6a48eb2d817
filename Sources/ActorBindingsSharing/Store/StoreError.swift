/// A reason why a store did not do what it was asked.
public enum StoreError: Error, Hashable, Sendable {
  /// The store will refuse the same request each time: wrong credentials, a key that is not allowed, a value over the
  /// limit. The message names the key, the engine and the remedy.
  case refused(String)
  /// The store cannot be reached, or did not answer in time, and nothing was written. Trying again may help.
  case unavailable(String)
  /// The acknowledgement of a write was lost: the write may have been applied.
  case uncertain(String)
  /// The store no longer has the changes after the revision that was asked for.
  case historyLost
  /// The lease has ended.
  case leaseEnded
}

extension StoreError: CustomStringConvertible {
  /// A sentence without a full stop.
  public var description: String {
    switch self {
    case .refused(let message), .unavailable(let message), .uncertain(let message): message
    case .historyLost: "the store no longer has the changes after this revision"
    case .leaseEnded: "the lease has ended"
    }
  }
}
