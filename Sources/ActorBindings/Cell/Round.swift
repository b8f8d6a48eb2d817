/// One look at a cell, for all whom a lane serves then: what is written meanwhile belongs to the next round.
///
/// It is filled under the cell's lock, and read by the run of a single lane. So its variables need not be checked
/// for overlapping accesses, which would cost more than a delivery.
public class AnyRound: @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline final var storedHorizon = Horizon(version: 0, isFinished: false)

  @usableFromInline
  init() {}

  /// How far the cell had come.
  @inlinable
  package final var horizon: Horizon { unsafe storedHorizon }

  /// The version that was current.
  @inlinable
  package final var version: UInt64 { horizon.version }

  /// Whether the cell was finished.
  @inlinable
  package final var isFinished: Bool { horizon.isFinished }

  /// For who shows a cursor what to see.
  @inlinable
  package final func begin(at version: UInt64) {
    unsafe storedHorizon = Horizon(version: version, isFinished: false)
  }

  /// Under the cell's lock.
  final func begin(_ roster: Roster) {
    unsafe storedHorizon = roster.horizon
  }
}

/// One look at a cell, with the value that was found.
public final class Round<Value: Sendable>: AnyRound, @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline var storedValue: Value?

  @inlinable
  package override init() {
    super.init()
  }

  /// The value that was current.
  @inlinable
  package var value: Value? {
    get { unsafe storedValue }
    set { unsafe storedValue = newValue }
  }
}
