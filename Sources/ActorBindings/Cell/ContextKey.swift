/// Under what a cell keeps the lane of a delivery context: equal keys share a lane.
@usableFromInline
package enum ContextKey: Hashable, Sendable {
  /// The cell's own isolation.
  case cell
  case actor(ObjectIdentifier)
  case queue(ObjectIdentifier)
  case taskExecutor(ObjectIdentifier)
  case serialExecutor(ObjectIdentifier)
  case custom(ObjectIdentifier)
  /// No context: the reader of a relay, which stands among the lanes.
  case relay(ObjectIdentifier)
}
