/// The position of one reader in the updates of a cell.
///
/// A reader starts as if it had seen the version before the current version, so it receives the current value first.
/// Code compares versions by their difference, and subtraction wraps around. So a reader can also start at version 0.
@usableFromInline
package struct ReadPosition<Value: Sendable>: Sendable {
  /// The newest version that this reader has received, or has skipped.
  @usableFromInline package var seen: UInt64

  /// The log node with version `seen`, for an `.unbounded` reader. Before the reader receives its first element, this
  /// is the node of that element.
  ///
  /// A reader with another backlog has a node only in a joint cell, and only until the reader receives its first
  /// element. The node holds what the followed cells held when the reader began.
  @usableFromInline package var node: LogNode<Value>?

  /// The number of unseen versions that may wait: 1 for `.latest`, n for `.bounded(n)`, `.max` for `.unbounded`.
  @usableFromInline package let depth: UInt32

  /// The number of versions after `seen` that are certainly in the log. The reader may read them without the lock.
  @usableFromInline var ahead: UInt16 = 0

  /// Whether the reader has received nothing yet.
  @usableFromInline package var isFresh: Bool

  /// Whether the cursor has a position in the cell now.
  @usableFromInline package var isTaken: Bool

  /// Creates the position of a reader that has seen the version before `version`. The argument `depth` is the reader's
  /// backlog as a number.
  @inlinable
  init(before version: UInt64, depth: UInt32) {
    seen = version &- 1
    self.depth = depth
    isFresh = true
    isTaken = true
  }

  /// Creates the position of a cursor that is not registered in a cell: other code shows the cursor what to read,
  /// beginning with `version`.
  @inlinable
  package init(shown version: UInt64, depth: UInt32) {
    seen = version &- 1
    self.depth = depth
    isFresh = true
    isTaken = false
  }

  /// Creates the position of a cursor that does not read yet.
  @inlinable
  init() {
    seen = 0
    depth = 1
    isFresh = true
    isTaken = false
  }
}
