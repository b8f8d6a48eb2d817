internal import Synchronization

/// When an update took effect, as compared with those of other cells.
///
/// One clock counts for all cells, and each instant is taken under the lock of the cell that is written, or under
/// the locks of all that are written together. It is asked only where somebody will compare: it is a word that all
/// processors share.
@usableFromInline
package struct Instant: Comparable, Sendable {
  @usableFromInline let ticks: UInt64

  @inlinable
  init(ticks: UInt64) {
    self.ticks = ticks
  }

  /// Of an update that nobody compares.
  @inlinable package static var unordered: Instant { Instant(ticks: 0) }

  @inlinable
  package static func < (earlier: Instant, later: Instant) -> Bool {
    earlier.ticks < later.ticks
  }

  /// Later than all instants before.
  @usableFromInline
  package static func next() -> Instant {
    Instant(ticks: clock.add(1, ordering: .relaxed).newValue)
  }

  private static let clock = Atomic<UInt64>(0)
}
