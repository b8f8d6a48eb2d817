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
    storage.handler?.handle(event)
  }

  /// The function of user code, and what counts as an event.
  package static var handler: BindingEventHandler? {
    get { storage.handler }
    set { storage.set(newValue) }
  }

  // @unchecked: `lock` guards the variable.
  private final class Storage: @unchecked Sendable {
    private let lock = Lock()
    // Guarded by `lock`.
    private var stored: BindingEventHandler?

    var handler: BindingEventHandler? { lock.withLock { stored } }

    // Under the lock, so that the limits are those of the handler, whatever other threads set.
    func set(_ handler: BindingEventHandler?) {
      // The former function is released after the lock.
      var other = handler
      let slowest = handler?.slowHandlerThreshold?.nanosecondsClamped ?? .max
      let longest = handler.map { UInt64(max(0, $0.backlogThreshold)) } ?? .max
      lock.withLock {
        swap(&stored, &other)
        slowHandler.store(slowest, ordering: .relaxed)
        backlog.store(longest, ordering: .relaxed)
        hasHandler.store(handler != nil, ordering: .relaxed)
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
