/// What a cell held when a lane began a pass: all observations of the lane read this snapshot. Later updates belong to
/// the next pass. A reader of a switch reads in passes too: a pass begins with each turn, and each time that the turn
/// reads again.
///
/// Code that holds the cell's lock fills the snapshot, and one turn at a time reads it. So its variables need no check
/// for overlapping accesses. Such a check would cost more than a delivery.
@_documentation(visibility: internal)
public class AnyPassSnapshot: @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline final var storedWatermark = Watermark(
    version: 0,
    isFinished: false
  )

  @usableFromInline
  init() {}

  /// The watermark that the cell had when the pass began.
  @inlinable
  package final var watermark: Watermark { unsafe storedWatermark }

  /// The version that the cell had when the pass began.
  @inlinable
  package final var version: UInt64 { watermark.version }

  /// Whether the cell was finished when the pass began.
  @inlinable
  package final var isFinished: Bool { watermark.isFinished }

  /// Sets the version of a snapshot that belongs to no pass, or to a reader that has not begun. Other code shows such a
  /// snapshot to a cursor.
  @inlinable
  package final func setVersion(_ version: UInt64) {
    unsafe storedWatermark = Watermark(version: version, isFinished: false)
  }

  /// Sets the watermark to that of the cell.
  final func setWatermarkWhileLocked(_ roster: Roster) {
    unsafe storedWatermark = roster.watermark
  }
}

/// What a cell held when a pass began, including the value.
@_documentation(visibility: internal)
public final class PassSnapshot<Value: Sendable>: AnyPassSnapshot, @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline var storedValue: Value?

  @inlinable
  package override init() {
    super.init()
  }

  /// The value that the cell held when the pass began.
  @inlinable
  package var value: Value? {
    get { unsafe storedValue }
    set { unsafe storedValue = newValue }
  }
}
