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
