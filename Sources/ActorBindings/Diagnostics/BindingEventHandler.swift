/// A function that receives events, and what counts as an event.
public struct BindingEventHandler: Sendable {
  /// The time above which the calls of a handler in one round are an event.
  public let slowHandler: Duration
  /// The number of updates above which a context that must deliver all values has fallen behind.
  public let backlog: Int
  let handle: @Sendable (BindingEvent) -> Void

  /// Creates an event handler.
  ///
  /// - Parameters:
  ///   - slowHandler: The time above which the calls of a handler in one round are an event.
  ///   - backlog: The number of updates above which a context that must deliver all values has fallen behind.
  ///   - handle: Receives each event, on the thread where it happened, and never under a lock. It should return soon,
  ///     because that thread waits for it. It may use cells. A cell that it creates or observes causes events too.
  public init(
    slowHandler: Duration = .milliseconds(100),
    backlog: Int = 1_000,
    _ handle: @escaping @Sendable (BindingEvent) -> Void
  ) {
    self.slowHandler = slowHandler
    self.backlog = backlog
    self.handle = handle
  }
}

extension BindingDiagnostics {
  /// The function that receives the events of all cells; nil at first.
  ///
  /// ```swift
  /// BindingDiagnostics.events = BindingEventHandler { event in
  ///   logger.info("\(event)")
  /// }
  /// ```
  ///
  /// While this is nil, an event costs one load of an atomic variable.
  public static var events: BindingEventHandler? {
    get { current.value }
    set {
      current.value = newValue
      EventHook.set(
        slowHandler: newValue?.slowHandler.nanosecondsClamped ?? .max,
        backlog: UInt64(max(0, newValue?.backlog ?? 0)),
        newValue?.handle
      )
    }
  }

  private static let current = BindingCurrentHandler()
}

// @unchecked: `lock` guards the variable.
private final class BindingCurrentHandler: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`.
  private var stored: BindingEventHandler?

  var value: BindingEventHandler? {
    get { lock.withLock { stored } }
    set {
      // The former function is released after the lock.
      var other = newValue
      lock.withLock { swap(&stored, &other) }
    }
  }
}

extension Duration {
  /// The duration in nanoseconds, as far as an unsigned word can say it.
  fileprivate var nanosecondsClamped: UInt64 {
    guard self > .zero else { return 0 }
    let (seconds, attoseconds) = components
    let (product, overflows) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    return overflows ? .max - 1 : min(product, .max - 1_000_000_001) + UInt64(attoseconds) / 1_000_000_000
  }
}
