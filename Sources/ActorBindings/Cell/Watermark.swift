public import Synchronization

/// How far a cell has come, in one word: its version, and whether that is the last.
///
/// A writer publishes it under the lock. A reader that loads it learns without the lock whether there is anything new,
/// and may read the log up to its version.
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
