/// A function that receives events, and what counts as an event.
public struct BindingEventHandler: Sendable {
  /// The time above which the calls of a handler in one round are an event. Nil if no handler is timed.
  public let slowHandlerThreshold: Duration?
  /// The number of updates above which a context that must deliver all values has fallen behind.
  public let backlogThreshold: Int
  /// Receives each event.
  public let handle: @Sendable (BindingEvent) -> Void

  /// Creates an event handler.
  ///
  /// - Parameters:
  ///   - slowHandlerThreshold: The time above which the calls of a handler in one round are an event. Nil if no handler
  ///     is to be timed.
  ///   - backlogThreshold: The number of updates above which a context that must deliver all values has fallen behind.
  ///   - handle: Receives each event, on the thread where it happened, and never under a lock. It should return soon,
  ///     because that thread waits for it. It may use cells. A cell that it creates or observes causes events too.
  public init(
    slowHandlerThreshold: Duration? = .milliseconds(100),
    backlogThreshold: Int = 1_000,
    _ handle: @escaping @Sendable (BindingEvent) -> Void
  ) {
    self.slowHandlerThreshold = slowHandlerThreshold
    self.backlogThreshold = backlogThreshold
    self.handle = handle
  }
}

extension Duration {
  /// The duration in nanoseconds, as far as an unsigned word can say it.
  var nanosecondsClamped: UInt64 {
    guard self > .zero else { return 0 }
    let (seconds, attoseconds) = components
    let (product, overflows) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    return overflows ? .max - 1 : min(product, .max - 1_000_000_001) + UInt64(attoseconds) / 1_000_000_000
  }
}
