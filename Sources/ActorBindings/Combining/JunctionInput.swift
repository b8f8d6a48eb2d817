/// The position of a junction in one of the cells that it follows.
///
/// Without history there is no position. With history the input has a position in the log: `noteCutWhileLocked` notes
/// how far the cell has come at one instant, and `advanceWhileLocked` then walks there, update by update, in the order
/// of their instants, without the lock.
// @unchecked: the lock of the cell that the junction brings up to date guards the variables. The lock of the followed
// cell also guards what the input uses in that cell. So the variables need no check of overlapping accesses.
@usableFromInline
package class AnyJunctionInput: @unchecked Sendable {
  @usableFromInline final let cell: AnyCell
  /// Whether another input of the junction is in the same cell, and counts its versions.
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

  // The caller of what ends in `WhileLocked` holds the lock of the followed cell too.

  /// Has each update of the cell take an instant from here on.
  func startOrderingWhileLocked() {}

  /// Ends what `startOrderingWhileLocked` began.
  func stopOrderingWhileLocked() {}

  /// Takes a position at the current version: from here on each update counts.
  func beginHistoryWhileLocked() {
    cut = cell.rosterWhileLocked.version
    unsafe seen = cut
  }

  /// Gives up the position, and adds what it held to `passed`.
  func endHistoryWhileLocked(_ passed: inout [AnyLogNode]) {
    if let node = unsafe node.take() { passed.append(node) }
  }

  /// Notes how far the cell has come.
  final func noteCutWhileLocked() {
    cut = cell.rosterWhileLocked.version
    hasPassed = false
  }

  /// The instant of the next update up to the cut; nil if there is none.
  final var nextInstant: LogicalInstant? { next?.instant }

  private final var next: AnyLogNode? {
    unsafe seen == cut ? nil : node?.storedNext
  }

  /// Moves on to the update of `instant`, if there is one. Adds the log that it leaves behind to `passed`.
  final func advanceWhileLocked(through instant: LogicalInstant, _ passed: inout [AnyLogNode]) {
    guard let next, next.instant == instant, let node = unsafe node else { return }
    // The first node holds the nodes after it.
    if !hasPassed { passed.append(node) }
    hasPassed = true
    unsafe self.node = next
    unsafe seen &+= 1
  }
}

/// The position of a junction in a cell of `Value`.
@usableFromInline
final class JunctionInput<Value: Sendable>: AnyJunctionInput, @unchecked Sendable {
  // With history: a position that is taken. `node` and `seen` say where it is.
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
    // Such a position uses no window, so there is nothing to release.
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
