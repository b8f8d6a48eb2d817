public import Synchronization

/// How far a cell has come, in one word: its version, and whether the cell has ended.
///
/// A writer publishes the watermark under the lock. A reader loads it without the lock, and so learns whether there is
/// anything new. The reader may then read the log up to the version in the watermark.
@usableFromInline
package struct Watermark: RawRepresentable, AtomicRepresentable, Sendable {
  @usableFromInline package let rawValue: UInt64

  @inlinable
  package init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  @inlinable
  package init(version: UInt64, isFinished: Bool) {
    rawValue = version << 1 | (isFinished ? 1 : 0)
  }

  @inlinable
  package var version: UInt64 { rawValue >> 1 }

  @inlinable
  package var isFinished: Bool { rawValue & 1 == 1 }
}
