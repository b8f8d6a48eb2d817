/// One update in the log that unbounded and bounded readers share.
///
/// Nodes point to what came after them. A reader holds the node that it has seen last, so a node lives as long
/// as somebody stands before it, and no longer. `next` is written once, under the cell's lock; a reader may
/// follow it without the lock up to a version that it has learnt under the lock.
@usableFromInline
package final class LogNode<Value: Sendable>: @unchecked Sendable {
  @usableFromInline package let value: Value
  @usableFromInline package let version: UInt64
  // Written once, under the cell's lock.
  @usableFromInline package var next: LogNode?

  @inlinable
  package init(_ value: Value, version: UInt64) {
    self.value = value
    self.version = version
  }

  // A backlog of a million nodes is freed in a loop, not by a million nested releases.
  deinit {
    var rest = next.take()
    while rest != nil, isKnownUniquelyReferenced(&rest) {
      let following = rest?.next.take()
      rest = following
    }
  }
}
