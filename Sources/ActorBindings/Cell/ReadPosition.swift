/// The position of one reader in the updates of a cell.
///
/// A reader starts as if it had seen the version before the current version, so it receives the current value first.
/// Code compares versions by their difference, and subtraction wraps around. So a reader can also start at version 0.
@usableFromInline
package struct ReadPosition<Value: Sendable>: Sendable {
  /// The newest version that this reader has received, or has skipped.
  @usableFromInline package var seen: UInt64

  /// For an `.unbounded` reader: the chunk of the log that has the version after `seen`, or an earlier chunk.
  ///
  /// A reader with another backlog has a chunk only in a joint cell, and only until the reader receives its first
  /// element. The chunk holds what the followed cells held when the reader began.
  @usableFromInline package var chunk: LogChunk<Value>?

  // The weight of an `.unbounded` reader, and the depth of any other reader. Both share a word to save memory, because
  // there may be very many readers.
  @usableFromInline var weightOrDepth: UInt32

  /// The number of versions after `seen` that are certainly in the log. The reader may read them without the lock.
  @usableFromInline package var ahead: UInt8 = 0

  /// Whether the backlog of the reader is `.unbounded`.
  @usableFromInline package let isUnbounded: Bool

  /// Whether the reader has received nothing yet.
  @usableFromInline package var isFresh: Bool

  /// Whether the cursor has a position in the cell now.
  @usableFromInline package var isTaken: Bool

  /// Creates the position of a reader that has seen the version before `version`. The argument `depth` is the reader's
  /// backlog as a number.
  @inlinable
  init(before version: UInt64, depth: UInt32) {
    seen = version &- 1
    isUnbounded = depth == .max
    weightOrDepth = isUnbounded ? 1 : depth
    isFresh = true
    isTaken = true
  }

  /// Creates the position of a cursor that is not registered in a cell: other code shows the cursor what to read,
  /// beginning with `version`.
  @inlinable
  package init(shown version: UInt64, depth: UInt32) {
    seen = version &- 1
    isUnbounded = depth == .max
    weightOrDepth = isUnbounded ? 1 : depth
    isFresh = true
    isTaken = false
  }

  /// Creates the position of a cursor that does not read yet.
  @inlinable
  init() {
    seen = 0
    isUnbounded = false
    weightOrDepth = 1
    isFresh = true
    isTaken = false
  }
}

extension ReadPosition {
  /// The number of unseen versions that may wait: 1 for `.latest`, n for `.bounded(n)`, `.max` for `.unbounded`.
  @inlinable
  package var depth: UInt32 { isUnbounded ? .max : weightOrDepth }

  /// For how many readers the slots of the log count this `.unbounded` reader: for itself, and for departed readers that
  /// it has taken along (see `SlotCount`).
  @inlinable
  package var weight: UInt32 {
    get { weightOrDepth }
    set { weightOrDepth = newValue }
  }
}
