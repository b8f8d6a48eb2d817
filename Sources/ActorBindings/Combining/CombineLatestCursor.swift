/// The cursor of `combineLatest`. It reads a cell that holds what the cells of both sources held at one instant, and
/// shows the cursor of each source its part of that.
@_documentation(visibility: internal)
public struct CombineLatestCursor<Left: BindingCursor, Right: BindingCursor>: BindingCursor {
  /// A pair: one element of each source.
  public typealias Element = (Left.Element, Right.Element)
  /// What the cells of both sources held at one instant.
  public typealias Origin = JointValue<Left.Origin, Right.Origin>

  /// The innermost cursor.
  public var root: CellCursor<Origin>
  @usableFromInline var left: CursorSide<Left>
  @usableFromInline var right: CursorSide<Right>

  @inlinable
  init(_ left: Left, _ right: Right) {
    root = CellCursor(cell: Cell(joining: left.root.cell, right.root.cell))
    self.left = CursorSide(left)
    self.right = CursorSide(right)
  }

  /// Returns the next element, or `.rejected` if the sources rejected what was new.
  @inlinable
  public mutating func next(in pass: PassSnapshot<Origin>?) -> Pull<Element> {
    switch root.nextFresh(in: pass) {
    case .element(let joint, let stamp):
      if !left.hasBegun { root.position.startSides(&left, &right, or: joint) }
      let isNewOnLeft = left.drain(joint.left)
      let isNewOnRight = right.drain(joint.right)
      let stamp = Stamp(
        version: left.version &+ right.version,
        skipped: left.skipped &+ right.skipped,
        isInitial: stamp.isInitial
      )
      guard isNewOnLeft || isNewOnRight, let left = left.newest, let right = right.newest else {
        return .rejected(stamp)
      }
      return .element((left, right), stamp)
    case .rejected(let stamp): return .rejected(stamp)
    case .idle: return .idle
    case .finished: return .finished
    }
  }
}

extension CombineLatestCursor: StateCursor where Left: StateCursor, Right: StateCursor {
  /// The current elements of both sources, at one instant.
  @inlinable
  public var current: Element {
    var (left, right) = (left, right)
    guard let joint = root.cell.snapshot else { preconditionFailure("a state has no value") }
    left.start(at: joint.left, depth: 1)
    right.start(at: joint.right, depth: 1)
    guard left.drain(joint.left), right.drain(joint.right), let left = left.newest,
      let right = right.newest
    else { preconditionFailure("a state has no value") }
    return (left, right)
  }
}
