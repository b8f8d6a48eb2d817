/// What the log or the window of a cell no longer holds, because a reader has moved on or has left. The caller releases
/// it after the lock.
@usableFromInline
package enum Evicted<Value: Sendable>: Sendable {
  case nothing
  /// An update that has left the window.
  case node(LogNode<Value>)
  /// Several updates that have left the window.
  case ring(ContiguousArray<LogNode<Value>?>)
  /// What a reader of the log leaves behind. Its deinit releases the updates that no other reader wants.
  case departure(LogDeparture<Value>)
}

extension Evicted {
  /// The same, for a caller that does not know the type of the value. One word, and its type is known to the compiler:
  /// an observation that held it as a generic type would look up that type when it is deallocated.
  @usableFromInline
  var object: (any AnyObject & Sendable)? {
    switch self {
    case .nothing: nil
    case .node(let node): node
    case .ring(let ring): EvictedRing(ring)
    case .departure(let departure): departure
    }
  }
}

/// Holds the updates of `Evicted.ring`.
private final class EvictedRing<Value: Sendable>: Sendable {
  let nodes: ContiguousArray<LogNode<Value>?>

  init(_ nodes: ContiguousArray<LogNode<Value>?>) {
    self.nodes = nodes
  }
}
