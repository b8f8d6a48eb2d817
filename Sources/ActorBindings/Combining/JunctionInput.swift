/// The position of a junction in one of the cells that it follows.
///
/// Without history there is no position. With history the input has a position in the cell's log. `noteCutWhileLocked`
/// notes how far the cell has come at one instant. `advanceWhileLocked` then moves the position up to that version, one
/// update at a time, without the lock of the followed cell.
// @unchecked: the lock of the joint cell guards the variables. The lock of the followed cell also guards what the input
// uses of that cell. So the variables need no check of overlapping accesses.
@usableFromInline
package class AnyJunctionInput: @unchecked Sendable {
  @usableFromInline final let cell: AnyCell
  /// Whether another input of the junction reads the same cell, and counts the versions of that cell.
  @usableFromInline final let isRepeated: Bool

  // With history: the node with version `seen`, whose value the junction shows.
  @exclusivity(unchecked) @usableFromInline final var node: AnyLogNode?
  @exclusivity(unchecked) @usableFromInline final var seen: UInt64 = 0
  private(set) final var cut: UInt64 = 0
  private final var hasPassed = false

  @usableFromInline
  init(_ cell: AnyCell, isRepeated: Bool) {
    self.cell = cell
    self.isRepeated = isRepeated
  }

  // The caller of each function whose name ends in `WhileLocked` also holds the lock of the followed cell.
  // `advanceWhileLocked` is the exception.

  /// Begins to give each update of the cell an instant.
  func startOrderingWhileLocked() {}

  /// Ends what `startOrderingWhileLocked` began.
  func stopOrderingWhileLocked() {}

  /// Takes a position at the current version. The junction reads each update after that version.
  func beginHistoryWhileLocked() {
    cut = cell.rosterWhileLocked.version
    unsafe seen = cut
  }

  /// Gives up the position, and adds the node that it held to `passed`.
  func endHistoryWhileLocked(_ passed: inout [AnyLogNode]) {
    if let node = unsafe node.take() { passed.append(node) }
  }

  /// Notes how far the cell has come.
  final func noteCutWhileLocked() {
    cut = cell.rosterWhileLocked.version
    hasPassed = false
  }

  /// The instant of the next update up to the cut; nil if there is no such update.
  final var nextInstant: LogicalInstant? { next?.instant }

  private final var next: AnyLogNode? {
    unsafe seen == cut ? nil : node?.storedNext
  }

  /// Moves on to the update of `instant`, if this cell has one. Adds the nodes that the input leaves behind to
  /// `passed`.
  final func advanceWhileLocked(through instant: LogicalInstant, _ passed: inout [AnyLogNode]) {
    guard let next, next.instant == instant, let node = unsafe node else { return }
    // Adds only the first of these nodes to `passed`: it holds the nodes after it.
    if !hasPassed { passed.append(node) }
    hasPassed = true
    unsafe self.node = next
    unsafe seen &+= 1
  }
}

/// The position of a junction in a cell of `Value`.
@usableFromInline
final class JunctionInput<Value: Sendable>: AnyJunctionInput, @unchecked Sendable {
  // With history: the position that the input has taken in the cell. `node` and `seen` say where that position is.
  private var position = ReadPosition<Value>()

  @usableFromInline
  init(in cell: Cell<Value>, isRepeated: Bool) {
    super.init(cell, isRepeated: isRepeated)
  }

  private var typedCell: Cell<Value> { unsafe unsafeDowncast(cell, to: Cell<Value>.self) }

  override func startOrderingWhileLocked() {
    typedCell.stateWhileLocked.orderedReaderJoined()
  }

  override func stopOrderingWhileLocked() {
    typedCell.stateWhileLocked.orderedReaderLeft()
  }

  override func beginHistoryWhileLocked() {
    super.beginHistoryWhileLocked()
    position = unsafe typedCell.stateWhileLocked.joined(depth: .max, at: seen)
    unsafe node = position.node.take()
    startOrderingWhileLocked()
  }

  override func endHistoryWhileLocked(_ passed: inout [AnyLogNode]) {
    stopOrderingWhileLocked()
    // A position of depth `.max` uses no window, so there is nothing to release.
    _ = typedCell.stateWhileLocked.left(&position)
    super.endHistoryWhileLocked(&passed)
  }

  @inlinable
  func snapshot(at time: SnapshotTime) -> Snapshot<Value> {
    switch time {
    case .now:
      let cell = unsafe unsafeDowncast(cell, to: Cell<Value>.self)
      return Snapshot(
        cell.stateWhileLocked.value,
        version: cell.rosterWhileLocked.version,
        at: cell.stateWhileLocked.newest,
        isRepeated: isRepeated
      )
    case .reached:
      guard let node = unsafe node else { preconditionFailure("a junction without history was asked for it") }
      return unsafe Snapshot(
        unsafeDowncast(node, to: LogNode<Value>.self).value,
        version: seen,
        at: node.instant,
        isRepeated: isRepeated
      )
    }
  }
}
