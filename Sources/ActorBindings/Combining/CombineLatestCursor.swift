/// The cursor of `combineLatest`. It reads a joint cell, which holds what the cells of both sources held at one
/// instant. It shows the cursor of each source the part that belongs to that source.
@_documentation(visibility: internal)
public struct CombineLatestCursor<Left: BindingCursor, Right: BindingCursor>: WrappingCursor {
  /// A pair: one element of each source.
  public typealias Element = (Left.Element, Right.Element)

  /// The cursor of the joint cell.
  public var base: JointCursor<Left, Right>

  @inlinable
  init(_ left: Left, _ right: Right) {
    base = JointCursor(left, right, for: "combineLatest")
  }

  /// Returns the next element, or `.rejected` if neither source has a new element, or if one source has had no element
  /// yet.
  @inlinable
  public mutating func next(in pass: PassSnapshot<Base.Origin>?) -> Pull<Element> {
    base.next(in: pass).flatMap { joint, stamp in
      let isNewOnLeft = base.left.drain(joint.left)
      let isNewOnRight = base.right.drain(joint.right)
      let stamp = base.stamp(isInitial: stamp.isInitial)
      guard isNewOnLeft || isNewOnRight, let left = base.left.newest, let right = base.right.newest else {
        return .rejected(stamp)
      }
      return .element((left, right), stamp)
    }
  }
}

extension CombineLatestCursor: StateCursor where Left: StateCursor, Right: StateCursor {
  /// The current elements of both sources, at one instant.
  @inlinable
  public var current: Element {
    var (left, right) = (base.left, base.right)
    guard let joint = root.cell.snapshot else { preconditionFailure("a state has no value") }
    left.start(at: joint.left, depth: 1)
    right.start(at: joint.right, depth: 1)
    guard left.drain(joint.left), right.drain(joint.right), let left = left.newest,
      let right = right.newest
    else { preconditionFailure("a state has no value") }
    return (left, right)
  }
}
