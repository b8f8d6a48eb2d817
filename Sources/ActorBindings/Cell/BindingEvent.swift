/// Something that happened to a cell or to one of its observations, for logs and metrics: see
/// ``BindingDiagnostics/events``. Switch over it with a `default`: later versions may add cases.
public enum BindingEvent: Sendable {
  /// Why an observation has ended.
  public enum Reason: Hashable, Sendable {
    /// Its token or its bag has cancelled it, or its context is gone.
    case cancelled
    /// Its owner has died.
    case ownerDied
    /// Its source has ended, and it has received everything.
    case finished
  }

  /// A cell.
  public struct Cell: Hashable, Sendable {
    /// The type of the cell, or the operator that made it.
    public let kind: String
    /// The name of the cell, from its initializer or from `named(_:)`; nil if it has none.
    public let name: String?
    /// Where the cell was created; nil if an operator made it.
    public let location: CodeLocation?
  }

  /// An observation.
  public struct Observer: Hashable, Sendable {
    /// The cell that it observes.
    public let cell: Cell
    /// Where `observe` or `bind` was called; nil if the library did so.
    public let location: CodeLocation?
    /// Where the handler runs.
    public let context: String
  }

  /// User code has created a cell.
  case cellCreated(Cell)
  /// A cell has ended, by `finish()` or by its deallocation.
  case cellFinished(Cell)
  /// An observation or a binding has begun.
  case observationBegan(Observer)
  /// An observation or a binding has ended, and its captures are released.
  case observationEnded(Observer, Reason)
  /// The calls of a handler in one round took longer than `slowHandlerThreshold` of the event handler.
  case handlerWasSlow(Observer, Duration)
  /// A context that must deliver all values came back to a cell after more updates than `backlogThreshold` of the event
  /// handler.
  case contextFellBehind(Cell, context: String, updates: UInt64)
}

extension BindingEvent: CustomStringConvertible {
  /// A line that says what happened where.
  public var description: String {
    switch self {
    case .cellCreated(let cell): "\(cell) was created"
    case .cellFinished(let cell): "\(cell) has ended"
    case .observationBegan(let observer): "\(observer) began"
    case .observationEnded(let observer, .cancelled): "\(observer) was cancelled"
    case .observationEnded(let observer, .ownerDied): "\(observer) ended, because its owner has died"
    case .observationEnded(let observer, .finished): "\(observer) ended with its source"
    case .handlerWasSlow(let observer, let duration): "\(observer) took \(duration)"
    case .contextFellBehind(let cell, let context, let updates):
      "\(context) fell \(updates) updates behind \(cell)"
    }
  }
}

extension BindingEvent.Cell: CustomStringConvertible {
  /// The name, the type and the place of creation.
  public var description: String {
    (name.map { "\($0), " } ?? "") + kind + (location.map { " at \($0)" } ?? "")
  }
}

extension BindingEvent.Observer: CustomStringConvertible {
  /// Where the observation began, where its handler runs, and its cell.
  public var description: String {
    "the observer\(location.map { " at \($0)" } ?? "") on \(context), of \(cell)"
  }
}
