/// What a cell held at the instant of a look.
public struct Shown<Value: Sendable>: Sendable {
  /// Nil while nobody reads: then nothing is kept alive.
  @usableFromInline package let value: Value?
  @usableFromInline package let version: UInt64
  /// When it was written, if somebody compares that.
  @usableFromInline package let instant: Instant
  /// The same cell is shown by another part too, and counted there.
  @usableFromInline package let isRepeated: Bool

  @usableFromInline
  package init(
    _ value: Value?,
    version: UInt64,
    at instant: Instant = .unordered,
    isRepeated: Bool = false
  ) {
    self.value = value
    self.version = version
    self.instant = instant
    self.isRepeated = isRepeated
  }
}

/// What two cells held at one instant. Each may itself be a cell that shows two.
public struct Joint<Left: Sendable, Right: Sendable>: Sendable {
  @usableFromInline package let left: Shown<Left>
  @usableFromInline package let right: Shown<Right>

  @inlinable
  package init(left: Shown<Left>, right: Shown<Right>) {
    self.left = left
    self.right = right
  }

  /// Of a junction that nobody reads.
  static var empty: Joint {
    Joint(left: Shown(nil, version: 0), right: Shown(nil, version: 0))
  }
}

/// What a junction follows: a cell, or two parts together.
///
/// Without history it is asked what it shows. With history it has a place in the log of each cell: `noteCut` says how
/// far they had come at one instant, and `advance` then walks there, update by update, in the order of their instants,
/// without the locks.
// @unchecked: guarded by the lock of the cell that the junction brings up to date; the places by those of their cells
// too.
package class Part<Value: Sendable>: @unchecked Sendable {
  /// What it shows. Under the locks of all cells.
  func look() -> Shown<Value> {
    preconditionFailure("\(type(of: self)) does not say what it shows")
  }

  /// From here on the instants of updates count. Under the locks of all cells.
  func beginOrder() {}

  /// They do not count any more. Under the locks of all cells.
  func endOrder() {}

  /// From here on each update counts. Under the locks of all cells.
  func beginHistory() {}

  /// They do not count any more. Under the locks of all cells; what the places held is added to `passed`.
  func endHistory(_ passed: inout [AnyLogNode]) {}

  /// How far the cells have come. Under the locks of all of them.
  func noteCut() {}

  /// When the next update took effect, if there is one up to the cut.
  var nextInstant: Instant? { nil }

  /// Takes the updates of that instant. The log that it leaves behind is added to `passed`.
  func advance(through instant: Instant, _ passed: inout [AnyLogNode]) {}

  /// What it shows at the instant that it has come to.
  var shown: Shown<Value> {
    preconditionFailure("\(type(of: self)) does not say what it shows")
  }
}

/// One cell.
final class CellPart<Value: Sendable>: Part<Value>, @unchecked Sendable {
  private let cell: Cell<Value>
  private let isRepeated: Bool

  // With history: the node with version `seen` is what is shown.
  private var place = Place<Value>()
  private var cut: UInt64 = 0
  private var hasPassed = false

  init(_ cell: Cell<Value>, isRepeated: Bool) {
    self.cell = cell
    self.isRepeated = isRepeated
  }

  override func look() -> Shown<Value> {
    unsafe Shown(
      cell.storedState.value,
      version: cell.storedRoster.version,
      at: cell.storedState.newest,
      isRepeated: isRepeated
    )
  }

  override func beginOrder() {
    unsafe cell.storedState.beginOrder()
  }

  override func endOrder() {
    unsafe cell.storedState.endOrder()
  }

  override func beginHistory() {
    let version = unsafe cell.storedRoster.version
    unsafe place = cell.storedState.joined(depth: .max, at: version)
    unsafe cell.storedState.beginOrder()
    place.seen = version
    cut = version
  }

  override func endHistory(_ passed: inout [AnyLogNode]) {
    if let node = place.node { passed.append(node) }
    unsafe cell.storedState.endOrder()
    // No window is concerned.
    _ = unsafe cell.storedState.left(&place, at: cell.storedRoster.version)
    place = Place()
  }

  override func noteCut() {
    cut = unsafe cell.storedRoster.version
    hasPassed = false
  }

  private var next: LogNode<Value>? {
    place.seen == cut ? nil : place.node?.next
  }

  override var nextInstant: Instant? { next?.instant }

  override func advance(through instant: Instant, _ passed: inout [AnyLogNode]) {
    guard let next, next.instant == instant, let node = place.node else { return }
    // The first one holds the others.
    if !hasPassed { passed.append(node) }
    hasPassed = true
    place.node = next
    place.seen &+= 1
  }

  override var shown: Shown<Value> {
    Shown(
      place.node?.value,
      version: place.seen,
      at: place.node?.instant ?? .unordered,
      isRepeated: isRepeated
    )
  }
}

/// Two parts together.
final class PairPart<Left: Sendable, Right: Sendable>: Part<Joint<Left, Right>>, @unchecked Sendable {
  private let left: Part<Left>
  private let right: Part<Right>

  init(_ left: Part<Left>, _ right: Part<Right>) {
    self.left = left
    self.right = right
  }

  override func look() -> Shown<Joint<Left, Right>> {
    joint(left.look(), right.look())
  }

  override func beginOrder() {
    left.beginOrder()
    right.beginOrder()
  }

  override func endOrder() {
    left.endOrder()
    right.endOrder()
  }

  override func beginHistory() {
    left.beginHistory()
    right.beginHistory()
  }

  override func endHistory(_ passed: inout [AnyLogNode]) {
    left.endHistory(&passed)
    right.endHistory(&passed)
  }

  override func noteCut() {
    left.noteCut()
    right.noteCut()
  }

  override var nextInstant: Instant? {
    guard let left = left.nextInstant else { return right.nextInstant }
    return right.nextInstant.map { min(left, $0) } ?? left
  }

  override func advance(through instant: Instant, _ passed: inout [AnyLogNode]) {
    left.advance(through: instant, &passed)
    right.advance(through: instant, &passed)
  }

  override var shown: Shown<Joint<Left, Right>> {
    joint(left.shown, right.shown)
  }

  // The versions of both rise, so their sum changes when one does.
  private func joint(_ left: Shown<Left>, _ right: Shown<Right>) -> Shown<Joint<Left, Right>> {
    Shown(
      Joint(left: left, right: right),
      version: left.version &+ right.version,
      at: max(left.instant, right.instant)
    )
  }
}
