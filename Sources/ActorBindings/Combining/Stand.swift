/// Where a junction stands in one of the cells that it follows.
///
/// Without history it stands nowhere. With history it has a place in the log: `noteCut` says how far the cell had come at
/// one instant, and `advance` then walks there, update by update, in the order of their instants, without the lock.
// @unchecked: guarded by the lock of the cell that the junction brings up to date; what is in the cell, by that of the
// cell too. So the variables need not be checked for overlapping accesses.
@usableFromInline
package class AnyStand: @unchecked Sendable {
  @usableFromInline final let cell: AnyCell
  /// The junction stands in the same cell twice, and counts its versions there.
  @usableFromInline final let isRepeated: Bool

  // With history: the node with version `seen` is what is shown.
  @exclusivity(unchecked) @usableFromInline final var node: AnyLogNode?
  @exclusivity(unchecked) @usableFromInline final var seen: UInt64 = 0
  private(set) final var cut: UInt64 = 0
  private final var hasPassed = false

  @usableFromInline
  init(_ cell: AnyCell, isRepeated: Bool) {
    self.cell = cell
    self.isRepeated = isRepeated
  }

  /// From here on the instants of updates count. Under the lock of the cell.
  func beginOrder() {}

  /// They do not count any more. Under the lock of the cell.
  func endOrder() {}

  /// From here on each update counts. Under the lock of the cell.
  func beginHistory() {
    cut = unsafe cell.storedRoster.version
    unsafe seen = cut
  }

  /// They do not count any more. Under the lock of the cell; what the place held is added to `passed`.
  func endHistory(_ passed: inout [AnyLogNode]) {
    if let node = unsafe node.take() { passed.append(node) }
  }

  /// How far the cell has come. Under its lock.
  final func noteCut() {
    cut = unsafe cell.storedRoster.version
    hasPassed = false
  }

  /// When the next update took effect, if there is one up to the cut.
  final var nextInstant: Instant? { next?.instant }

  private final var next: AnyLogNode? {
    unsafe seen == cut ? nil : node?.storedNext
  }

  /// Takes the update of that instant, if there is one. The log that it leaves behind is added to `passed`.
  final func advance(through instant: Instant, _ passed: inout [AnyLogNode]) {
    guard let next, next.instant == instant, let node = unsafe node else { return }
    // The first one holds the others.
    if !hasPassed { passed.append(node) }
    hasPassed = true
    unsafe self.node = next
    unsafe seen &+= 1
  }
}

/// Where a junction stands in a cell of `Value`.
@usableFromInline
final class Stand<Value: Sendable>: AnyStand, @unchecked Sendable {
  // With history: that it is taken. Where it is, is said by the stand.
  private var place = Place<Value>()

  @usableFromInline
  init(in cell: Cell<Value>, isRepeated: Bool) {
    super.init(cell, isRepeated: isRepeated)
  }

  private var typedCell: Cell<Value> { unsafe unsafeDowncast(cell, to: Cell<Value>.self) }

  override func beginOrder() {
    unsafe typedCell.storedState.beginOrder()
  }

  override func endOrder() {
    unsafe typedCell.storedState.endOrder()
  }

  override func beginHistory() {
    super.beginHistory()
    unsafe place = typedCell.storedState.joined(depth: .max, at: seen)
    unsafe node = place.node.take()
    beginOrder()
  }

  override func endHistory(_ passed: inout [AnyLogNode]) {
    endOrder()
    // No window is concerned.
    _ = unsafe typedCell.storedState.left(&place)
    super.endHistory(&passed)
  }

  @inlinable
  func shown(_ look: Look) -> Shown<Value> {
    switch look {
    case .now:
      let cell = unsafe unsafeDowncast(cell, to: Cell<Value>.self)
      return unsafe Shown(
        cell.storedState.value,
        version: cell.storedRoster.version,
        at: cell.storedState.newest,
        isRepeated: isRepeated
      )
    case .passed:
      guard let node = unsafe node else { preconditionFailure("a junction without history was asked for it") }
      return unsafe Shown(
        unsafeDowncast(node, to: LogNode<Value>.self).value,
        version: seen,
        at: node.instant,
        isRepeated: isRepeated
      )
    }
  }
}
