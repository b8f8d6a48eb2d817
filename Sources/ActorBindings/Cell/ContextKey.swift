/// The key by which a cell finds the lane of a delivery context. In one cell, contexts with equal keys share a lane.
@usableFromInline
package enum ContextKey: Hashable, Sendable {
  /// The cell's own isolation.
  case cell
  /// The thread of the writer.
  case immediate
  case actor(ObjectIdentifier)
  case queue(ObjectIdentifier)
  case taskExecutor(ObjectIdentifier)
  case serialExecutor(ObjectIdentifier)
  case custom(ObjectIdentifier)
  /// Not a context: the reader of a relay, which the roster keeps among the lanes.
  case relay(ObjectIdentifier)
}
