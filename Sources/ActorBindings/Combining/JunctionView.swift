/// What a cell held at one instant.
@_documentation(visibility: internal)
public struct Snapshot<Value: Sendable>: Sendable {
  /// Nil while the cell has no readers: then the cell keeps no value alive.
  @usableFromInline package let value: Value?
  @usableFromInline package let version: UInt64
  /// The instant at which the value was written, if a reader compares instants.
  @usableFromInline package let instant: LogicalInstant
  /// Whether another view shows the same cell too, and counts the versions of that cell.
  @usableFromInline package let isRepeated: Bool

  @usableFromInline
  package init(
    _ value: Value?,
    version: UInt64,
    at instant: LogicalInstant = .unordered,
    isRepeated: Bool = false
  ) {
    self.value = value
    self.version = version
    self.instant = instant
    self.isRepeated = isRepeated
  }
}

/// What two cells held at one instant. Each of the two may itself be a joint cell.
@_documentation(visibility: internal)
public struct JointValue<Left: Sendable, Right: Sendable>: Sendable {
  @usableFromInline package let left: Snapshot<Left>
  @usableFromInline package let right: Snapshot<Right>

  @inlinable
  package init(left: Snapshot<Left>, right: Snapshot<Right>) {
    self.left = left
    self.right = right
  }

  /// The value of a joint cell that has no readers.
  @inlinable
  static var empty: JointValue {
    JointValue(left: Snapshot(nil, version: 0), right: Snapshot(nil, version: 0))
  }
}

/// The time at which a view shows its cells.
@usableFromInline
package enum SnapshotTime: Sendable {
  /// What the cells hold now. The caller holds the locks of all these cells.
  case now
  /// What the cells held at the instant that their inputs have reached.
  case reached
}

/// What a junction shows of the cells that it follows: one cell, or two other views together.
///
/// `takeSnapshot` is a stored function, created where the types are known, because client modules do not specialize the
/// methods of a generic class.
@usableFromInline
package struct JunctionView<Value: Sendable>: Sendable {
  @usableFromInline let takeSnapshot: @Sendable (SnapshotTime) -> Snapshot<Value>
  @usableFromInline let inputs: [AnyJunctionInput]

  @inlinable
  init(inputs: [AnyJunctionInput], _ takeSnapshot: @escaping @Sendable (SnapshotTime) -> Snapshot<Value>) {
    self.inputs = inputs
    self.takeSnapshot = takeSnapshot
  }
}

extension JunctionView {
  /// Creates a view that shows two views together.
  @inlinable
  init<Left, Right>(_ left: JunctionView<Left>, _ right: JunctionView<Right>)
  where Value == JointValue<Left, Right> {
    self.init(inputs: left.inputs + right.inputs) { time in
      let (onLeft, onRight) = (left.takeSnapshot(time), right.takeSnapshot(time))
      // The versions of both only rise, so their sum changes when either changes.
      return Snapshot(
        JointValue(left: onLeft, right: onRight),
        version: onLeft.version &+ onRight.version,
        at: max(onLeft.instant, onRight.instant)
      )
    }
  }
}
