/// The number of updates that may wait for a reader while it is busy.
public enum Backlog: Sendable, Hashable {
  /// Only the newest update. A busy reader skips the updates for which it had no time, and learns their number. This
  /// costs no memory.
  case latest
  /// The newest `n` updates; `n` is at least 1. The reader skips older updates, and learns their number.
  case bounded(Int)
  /// All updates. The reader loses none, and memory grows while the reader lags.
  case unbounded

  /// Creates the backlog that a depth stands for.
  package init(depth: UInt32) {
    switch depth {
    case 1: self = .latest
    case .max: self = .unbounded
    default: self = .bounded(Int(depth))
    }
  }

  /// The backlog as a number: 1 for only the newest update, `.max` for all.
  @inlinable
  package var depth: UInt32 {
    switch self {
    case .latest: return 1
    case .bounded(let count):
      // Not a precondition, because release builds drop the message of a precondition.
      guard count > 0 else {
        fatalError("Backlog.bounded(\(count)): a reader needs room for at least one update")
      }
      return UInt32(clamping: min(count, Int(UInt32.max) - 1))
    case .unbounded: return .max
    }
  }
}
