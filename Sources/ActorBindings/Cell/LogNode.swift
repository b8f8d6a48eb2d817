internal import Synchronization

/// The part of a log node that does not depend on the type of its value. Its deinit is compiled once, in this library,
/// and frees nodes with values of every type.
///
/// A node does not store its version: each reader of the log counts the versions that it passes.
///
/// Each node holds the next node. A reader holds the node that it saw last. So a node lives as long as a reader holds
/// that node or an earlier node. A writer sets `next` once, under the cell's lock. A reader may follow `next` under the
/// lock. It may also follow `next` without the lock, up to the version that it has loaded from the cell's watermark.
@usableFromInline
package class AnyLogNode: @unchecked Sendable {
  /// The instant of the update; `unordered` if no reader compared instants at the time of the update.
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

/// One update in a list: in the window that bounded readers share, or in the log of the writes to a watched key.
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

extension LogNode {
  /// Returns whether `node` is the only reference to its node. Then no reader reads the node, or what follows it.
  @inlinable
  package static func isSole(_ node: inout LogNode?) -> Bool {
    isKnownUniquelyReferenced(&node)
  }
}
