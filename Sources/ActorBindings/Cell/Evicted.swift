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

/// What a reader that has left its cell leaves behind, for a caller that does not know the cell. The caller releases it
/// after the lock.
@_documentation(visibility: internal)
public struct ReaderRemains<Value: Sendable>: Sendable {
  @usableFromInline let evicted: Evicted<Value>

  @inlinable
  package init(_ evicted: Evicted<Value>) {
    self.evicted = evicted
  }
}
