internal import Synchronization

/// Hands events to the function of user code that asked for them.
package enum EventHook: Sendable {
  private static let hasHandler = Atomic(false)
  private static let slowHandler = Atomic<UInt64>(.max)
  private static let backlog = Atomic<UInt64>(.max)
  private static let storage = Storage()

  /// Whether user code has set an event handler.
  package static var isOn: Bool { hasHandler.load(ordering: .relaxed) }
  /// The time of a round of calls, in nanoseconds, above which a handler is slow.
  package static var slowHandlerLimit: UInt64 { slowHandler.load(ordering: .relaxed) }
  /// The number of updates above which a context has fallen behind.
  package static var backlogLimit: UInt64 { backlog.load(ordering: .relaxed) }

  /// Calls the function, if there is one. Never called under a lock.
  package static func emit(_ event: BindingEvent) {
    storage.handler?(event)
  }

  package static func set(
    slowHandler: UInt64,
    backlog: UInt64,
    _ handler: (@Sendable (BindingEvent) -> Void)?
  ) {
    storage.handler = handler
    self.slowHandler.store(handler == nil ? .max : slowHandler, ordering: .relaxed)
    self.backlog.store(handler == nil ? .max : backlog, ordering: .relaxed)
    hasHandler.store(handler != nil, ordering: .relaxed)
  }

  // @unchecked: `lock` guards the variable.
  private final class Storage: @unchecked Sendable {
    private let lock = Lock()
    // Guarded by `lock`.
    private var stored: (@Sendable (BindingEvent) -> Void)?

    var handler: (@Sendable (BindingEvent) -> Void)? {
      get { lock.withLock { stored } }
      set {
        // The former function is released after the lock.
        var other = newValue
        lock.withLock { swap(&stored, &other) }
      }
    }
  }
}

extension AnyCell {
  /// The cell, as events name it.
  package final var label: BindingEvent.Cell { label(ofDying: nil) }

  final func label(ofDying owner: Any.Type?) -> BindingEvent.Cell {
    BindingEvent.Cell(
      kind: owner.map { "\($0)" } ?? kind,
      name: name,
      location: upstream == nil ? site.location : nil
    )
  }

  /// The type of the cell, or the operator that made it.
  package final var kind: String {
    if upstream != nil { return site.location?.fileID ?? "an operator" }
    return host.map { "\(type(of: $0))" } ?? "\(type(of: self))"
  }
}
