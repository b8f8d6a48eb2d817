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

/// What a view shows of its cells.
@usableFromInline
package enum SnapshotTime: Sendable {
  /// What the cells hold now. The caller holds the locks of all these cells.
  case now
  /// What one cell holds now, whose lock the caller holds. The others hold what the former snapshot shows.
  case writtenSide(AnyCell)
  /// What the cells held at the instant that their inputs have reached.
  case reached
}

/// What a junction shows of the cells that it follows: one cell, or two other views together.
///
/// `takeSnapshot` is a stored function, created where the types are known, because client modules do not specialize the
/// methods of a generic class.
@_documentation(visibility: internal)
public struct JunctionView<Value: Sendable>: Sendable {
  /// Takes a snapshot. `former` is a snapshot of the same cells; nil except for the time `writtenSide`.
  @usableFromInline typealias TakeSnapshot =
    @Sendable (_ time: SnapshotTime, _ former: Snapshot<Value>?) -> Snapshot<Value>

  @usableFromInline let takeSnapshot: TakeSnapshot
  @usableFromInline let inputs: [AnyJunctionInput]

  @inlinable
  init(inputs: [AnyJunctionInput], _ takeSnapshot: @escaping TakeSnapshot) {
    self.inputs = inputs
    self.takeSnapshot = takeSnapshot
  }
}

extension JunctionView {
  /// Creates a view that shows two views together.
  @inlinable
  init<Left, Right>(_ left: JunctionView<Left>, _ right: JunctionView<Right>)
  where Value == JointValue<Left, Right> {
    var inputs: [AnyJunctionInput] = []
    inputs.reserveCapacity(left.inputs.count + right.inputs.count)
    inputs += left.inputs
    inputs += right.inputs
    self.init(inputs: inputs) { time, former in
      let joint = former?.value
      return Snapshot(
        joining: left.takeSnapshot(time, joint?.left),
        right.takeSnapshot(time, joint?.right)
      )
    }
  }
}

extension Snapshot {
  /// Joins two snapshots of one instant.
  @inlinable
  init<Left, Right>(joining left: Snapshot<Left>, _ right: Snapshot<Right>)
  where Value == JointValue<Left, Right> {
    // The versions of both only rise, so their sum changes when either changes.
    self.init(
      JointValue(left: left, right: right),
      version: left.version &+ right.version,
      at: max(left.instant, right.instant)
    )
  }
}

/// A cell, as a junction sees it. For a cell that a type-erased cursor reads, this is the type-erased view of the cell.
@_documentation(visibility: internal)
public protocol JunctionViewable<Origin>: Sendable {
  /// The type of what a snapshot of the cell holds.
  associatedtype Origin: Sendable

  /// Returns a view of the cells that a junction reads to show this cell. The view does not count the versions of the
  /// cells in `counted` again.
  func junctionView(_ counted: inout CountedCells) -> JunctionView<Origin>
}
