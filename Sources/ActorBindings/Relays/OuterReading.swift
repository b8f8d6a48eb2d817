/// How far a cursor has read an outer source, for the next cursor that reads it.
@usableFromInline
struct OuterReading<Outer: BindingCursor>: Sendable {
  @usableFromInline let side: CursorSide<Outer>
  /// Shows the side the next update up to a version, and returns how far the side has read then. Returns nil if there
  /// is no such update. Called only while the cursor that has read the outer source still has its position.
  @usableFromInline let readOn: @Sendable (_ version: UInt64) -> OuterReading<Outer>?

  @inlinable
  init<Other>(_ side: CursorSide<Outer>, in root: CellCursor<JointValue<Outer.Origin, Other>>) {
    self.side = side
    readOn = { version in
      // With the backlog `.unbounded`, a copy of the position is enough to read the log. Other backlogs may leave out
      // updates. To read is to take the values out of the slots of the log. This is sound for two reasons: no other
      // reader has a position in this joint cell, which the driver has made for itself, and the former cursor reads
      // nothing more with the original position. When that position is given up, the log goes as a whole, and a slot
      // that was taken is empty.
      guard root.position.depth == .max, side.base.root.seen != version else { return nil }
      var (side, root) = (side, root)
      guard case .element(let joint, _) = root.nextFresh(in: nil) else { return nil }
      _ = side.drain(joint.left)
      return OuterReading(side, in: root)
    }
  }
}
