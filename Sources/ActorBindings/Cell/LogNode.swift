internal import Synchronization

/// What of a log node does not depend on its value: so a node dies by code that was compiled once, here.
///
/// It does not say which version it is: whoever stands in the log has counted.
///
/// Nodes point to what came after them. A reader holds the node that it has seen last, so a node lives as long
/// as somebody stands before it, and no longer. `next` is written once, under the cell's lock; a reader may
/// follow it without the lock up to a version that it has learnt from the cell's horizon, or under the lock.
@usableFromInline
package class AnyLogNode: @unchecked Sendable {
  /// When its update took effect, if somebody compares it with those of other cells.
  @usableFromInline package final let instant: Instant
  // Written once, under the cell's lock, before any reader learns of it: so accesses do not overlap.
  @exclusivity(unchecked) @usableFromInline final var storedNext: AnyLogNode?

  @usableFromInline
  init(at instant: Instant) {
    self.instant = instant
  }

  // A backlog of a million nodes is freed in a loop, not by a million nested releases.
  deinit {
    var rest = unsafe storedNext.take()
    while rest != nil, isKnownUniquelyReferenced(&rest) {
      // Who was here last may have followed a `next` that was written after this reader left. That nobody else is here
      // any more is looked up relaxed on ARM: this orders what is read now.
      atomicMemoryFence(ordering: .acquiring)
      let following = unsafe rest?.storedNext.take()
      rest = following
    }
  }
}

/// One update in the log that unbounded and bounded readers share.
@usableFromInline
package final class LogNode<Value: Sendable>: AnyLogNode, @unchecked Sendable {
  @usableFromInline package let value: Value

  @inlinable
  package init(_ value: Value, at instant: Instant = .unordered) {
    self.value = value
    super.init(at: instant)
  }

  @inlinable
  package var next: LogNode? {
    get { unsafe storedNext.map { unsafe unsafeDowncast($0, to: LogNode.self) } }
    set { unsafe storedNext = newValue }
  }
}
