/// One look at a cell, for all whom a lane serves then: what is written meanwhile belongs to the next round.
///
/// It is filled under the cell's lock, and read by the run of a single lane. So its variables need not be checked
/// for overlapping accesses, which would cost more than a delivery.
public class AnyRound: @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline final var storedVersion: UInt64 = 0
  @exclusivity(unchecked) @usableFromInline final var storedIsFinished = false

  @usableFromInline
  init() {}

  /// The version that was current.
  @inlinable
  package final var version: UInt64 { unsafe storedVersion }

  /// Whether the cell was finished.
  @inlinable
  package final var isFinished: Bool { unsafe storedIsFinished }

  /// Under the cell's lock.
  final func begin(_ roster: Roster) {
    unsafe storedVersion = roster.version
    unsafe storedIsFinished = roster.isFinished
  }
}

/// One look at a cell, with the value that was found.
public final class Round<Value: Sendable>: AnyRound, @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline var storedValue: Value?

  /// The value that was current.
  @inlinable
  package var value: Value? {
    get { unsafe storedValue }
    set { unsafe storedValue = newValue }
  }
}
