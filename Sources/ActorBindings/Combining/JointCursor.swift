/// The cursor of a joint cell. It contains two cursors, and shows each of them what that cursor's own cell held.
@_documentation(visibility: internal)
public struct JointCursor<Left: BindingCursor, Right: BindingCursor>: BindingCursor {
  /// What the cells of both sides held at one instant.
  public typealias Element = JointValue<Left.Origin, Right.Origin>
  /// What the cells of both sides held at one instant.
  public typealias Origin = Element

  /// The innermost cursor.
  public var root: CellCursor<Origin>
  @usableFromInline var left: CursorSide<Left>
  @usableFromInline var right: CursorSide<Right>

  /// - Parameters:
  ///   - operator: The name of the operator, for diagnostics.
  ///   - isOrdered: Whether readers ask which of the two cells was written last.
  ///   - end: Which of the two cells must have ended when the joint cell ends.
  @inlinable
  init(
    _ left: Left,
    _ right: Right,
    for operator: StaticString,
    isOrdered: Bool = false,
    endsWith end: JointEnd = .both
  ) {
    root = CellCursor(
      cell: Cell(joining: left.root, right.root, for: `operator`, isOrdered: isOrdered, endsWith: end)
    )
    self.left = CursorSide(left)
    self.right = CursorSide(right)
  }

  /// Returns what both cells held at the next instant. Both sides begin to read at the first instant.
  @inlinable
  public mutating func next(in pass: PassSnapshot<Origin>?) -> Pull<Element> {
    let pull = root.nextFresh(in: pass)
    if case .element(let joint, _) = pull, !left.hasBegun {
      root.position.startSides(&left, &right, or: joint)
    }
    return pull
  }

  /// Shows both sides what their cells held. After this, the owner pulls the elements.
  @inlinable
  mutating func show(_ joint: Element) {
    left.show(joint.left)
    right.show(joint.right)
  }

  /// Returns the stamp of an element of either side.
  ///
  /// This function does not reset the numbers of skipped updates, so two calls may report the same skipped updates.
  /// Only the cursor of `combineLatest` calls this function directly. Before each stamp that cursor shows both sides
  /// something, and `show` resets the numbers.
  @inlinable
  func stamp(isInitial: Bool) -> Stamp {
    Stamp(
      version: left.version &+ right.version,
      skipped: left.skipped &+ right.skipped,
      isInitial: isInitial
    )
  }

  /// Returns the stamp of an element of either side, and reports skipped updates only once.
  @inlinable
  mutating func takeStamp(isInitial: Bool) -> Stamp {
    defer {
      left.skipped = 0
      right.skipped = 0
    }
    return stamp(isInitial: isInitial)
  }
}
