/// How many updates a reader may have waiting while it is busy.
public enum Backlog: Sendable, Hashable {
  /// The newest one. A busy reader skips what it had no time for, and is told how many; it costs no memory.
  case latest
  /// The newest `n`, which is at least 1. What is older is skipped, and counted.
  case bounded(Int)
  /// All of them. Nothing is lost, and memory grows while the reader lags.
  case unbounded

  /// As a cell counts it: 1 for the newest alone, `.max` for all.
  @inlinable
  package var depth: UInt32 {
    switch self {
    case .latest: return 1
    case .bounded(let count):
      // Not a precondition: its message is lost in release builds.
      guard count > 0 else {
        fatalError("Backlog.bounded(\(count)): a reader needs room for at least one update")
      }
      return UInt32(clamping: min(count, Int(UInt32.max) - 1))
    case .unbounded: return .max
    }
  }
}
