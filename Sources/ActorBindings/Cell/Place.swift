/// Where one reader stands in the updates of a cell.
///
/// A reader starts as if it had seen the version before the one that is current, so the first thing that it
/// is handed is the current value. Versions are compared by their distance, so that this holds for version 0.
@usableFromInline
package struct Place<Value: Sendable>: Sendable {
  /// The newest version that this reader was handed, or would have been handed had it not been skipped.
  @usableFromInline package var seen: UInt64

  /// The log node with version `seen`; while nothing has been handed out, the node to begin with. A reader that does not
  /// want all has none but, until it is handed something, in a cell that follows others: there the node tells where in
  /// each of these it began.
  @usableFromInline package var node: LogNode<Value>?

  /// How many unseen versions may wait: 1 for `.latest`, n for `.bounded(n)`, `.max` for `.unbounded`.
  @usableFromInline package let depth: UInt32

  /// So many versions of the log after `seen` are known to be there, and may be read without the lock.
  @usableFromInline var ahead: UInt16 = 0

  /// Nothing has been handed out yet.
  @usableFromInline package var isFresh: Bool

  /// False for a cursor that stands nowhere yet, or no longer.
  @usableFromInline package var isTaken: Bool

  /// A reader with this backlog that has seen the version before `version`.
  @inlinable
  init(before version: UInt64, depth: UInt32) {
    seen = version &- 1
    self.depth = depth
    isFresh = true
    isTaken = true
  }

  /// A cursor that stands nowhere, and is shown what to read, beginning with `version`.
  @inlinable
  package init(shown version: UInt64, depth: UInt32) {
    seen = version &- 1
    self.depth = depth
    isFresh = true
    isTaken = false
  }

  /// Nowhere.
  @inlinable
  init() {
    seen = 0
    depth = 1
    isFresh = true
    isTaken = false
  }
}
