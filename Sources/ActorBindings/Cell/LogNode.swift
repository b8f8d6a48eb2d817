internal import Synchronization

/// The part of a log node that does not depend on the type of its value. So one deinit, compiled here, frees all nodes.
///
/// A node does not store its version: each reader of the log counts the versions that it passes.
///
/// Each node points to the node after it. A reader holds the node that it has seen last. So a node of the log lives
/// until no reader holds it or a node before it. A writer sets `next` once, under the cell's lock. A reader may follow
/// `next` under the lock. It may also follow `next` without the lock, up to a version that it has learnt from the
/// cell's watermark.
@usableFromInline
package class AnyLogNode: @unchecked Sendable {
  /// When the update took effect, if a reader compares it with updates of other cells.
  @usableFromInline package final let instant: LogicalInstant
  // A writer sets it once, under the cell's lock, before any reader learns of the next node. So accesses do not
  // overlap.
  @exclusivity(unchecked) @usableFromInline final var storedNext: AnyLogNode?

  @usableFromInline
  init(at instant: LogicalInstant) {
    self.instant = instant
  }

  // Frees a backlog of a million nodes in a loop, not by a million nested releases.
  deinit {
    var rest = unsafe storedNext.take()
    while rest != nil, isKnownUniquelyReferenced(&rest) {
      // Another reader may have released this node just now, and may have seen a `next` that this thread has not seen
      // yet. On ARM the check for a unique reference is a relaxed load. The fence orders the following reads after that
      // load.
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
  package init(_ value: Value, at instant: LogicalInstant = .unordered) {
    self.value = value
    super.init(at: instant)
  }

  @inlinable
  package var next: LogNode? {
    get { unsafe storedNext.map { unsafe unsafeDowncast($0, to: LogNode.self) } }
    set { unsafe storedNext = newValue }
  }
}
