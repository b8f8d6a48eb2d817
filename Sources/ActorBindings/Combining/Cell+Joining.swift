extension Cell: JunctionViewable {
  /// The type of the value.
  public typealias Origin = Value

  /// Creates a cell that holds what two other cells hold at one instant.
  ///
  /// - Parameters:
  ///   - operator: The name of the operator, for diagnostics.
  ///   - isOrdered: Whether readers ask which of the two cells was written last.
  ///   - end: The cells whose ends together end the new cell.
  // Never inlined: if a task creates a combination and then waits, the task's frame would keep the room that this
  // function needs.
  @inlinable
  @inline(never)
  package convenience init<Left: CursorRoot, Right: CursorRoot>(
    joining left: Left,
    _ right: Right,
    for operator: StaticString,
    isOrdered: Bool = false,
    endsWith end: JointEnd = .both
  )
  where Value == JointValue<Left.Origin, Right.Origin> {
    let group = CellGroup(joining: left.cell, right.cell)
    // The cursor of an ordered joint cell compares instants. If such a cell is `left` or `right`, the new cell shows
    // these instants to that cursor, so the new cell must be ordered too.
    let isOrdered = isOrdered || left.cell.isOrdered || right.cell.isOrdered
    let ending = end.cells(of: left.cell, right.cell)
    let (left, right, first) = (left.viewed, right.viewed, left.cell)
    let junction = Junction(
      group,
      empty: Value.empty,
      isOrdered: isOrdered,
      ending: ending
    ) { counted in
      JunctionView(left.junctionView(&counted), right.junctionView(&counted))
    }
    self.init(.empty, upstream: junction)
    isMade(by: `operator`)
    belongs(toHostOf: first)
  }

  /// Returns a view of the cells that a junction reads instead of this cell, or of this cell itself.
  @inlinable
  public func junctionView(_ counted: inout CountedCells) -> JunctionView<Value> {
    if let junction = upstream as? Junction<Value> { return junction.makeView(&counted) }
    if let upstream = upstream as? ViewUpstream<Value> { return upstream.view(&counted) }
    let input = JunctionInput(in: self, isRepeated: !counted.insert(self))
    return JunctionView(inputs: [input]) { input.snapshot(at: $0, former: $1) }
  }

  /// What the cell shows now, even if it has no readers. Without readers a joint cell holds no value, so this property
  /// looks at the cells that the joint cell follows.
  @usableFromInline
  package var snapshot: Value? {
    guard isJoint, let upstream else { return value }
    if let upstream = upstream as? ViewUpstream<Value> { return upstream.current }
    return unsafe unsafeDowncast(upstream, to: Junction<Value>.self).snapshot.value
  }
}

/// Which of two cells must have ended when their joint cell ends.
@usableFromInline
package enum JointEnd: Sendable {
  case both
  case left
  case right

  /// Returns the cells whose ends together end the joint cell; nil if these are all cells that the joint cell follows.
  @usableFromInline
  func cells(of left: AnyCell, _ right: AnyCell) -> [AnyCell]? {
    switch self {
    case .both:
      if left.upstream?.endingCells == nil, right.upstream?.endingCells == nil { return nil }
      return left.endingCells + right.endingCells
    case .left: return left.endingCells
    case .right: return right.endingCells
    }
  }
}

extension AnyCell {
  /// Whether this is a joint cell whose readers compare the instants at which the followed cells were written.
  @usableFromInline final var isOrdered: Bool { upstream?.comparesInstants ?? false }
}
