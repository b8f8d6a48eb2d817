/// A switch: the new inner source, and how far a cursor has read the outer source.
///
/// The next cursor reads the outer source from here on. Only that cursor accesses the object. A class, because it is
/// large: so a value of the inner source is moved about without it.
// @unchecked: one thread at a time reads with the cursor, and only this cursor accesses the variables. So Swift need
// not check for overlapping accesses.
@usableFromInline
final class OuterReading<Outer: BindingCursor>: @unchecked Sendable where Outer.Element: BindingSource {
  @usableFromInline typealias Inner = Outer.Element.Cursor
  /// What the joint cell of the outer source and of an inner source holds.
  @usableFromInline typealias Joint = JointValue<Outer.Origin, Inner.Origin>
  /// What the joint cell of a `FirstSourceCursor` holds.
  @usableFromInline typealias Doubled = JointValue<Outer.Origin, Outer.Origin>

  /// The root of the cursor that has read the outer source so far.
  @usableFromInline
  enum Former: Sendable {
    case first(CellCursor<Doubled>)
    case later(CellCursor<Joint>)
  }

  /// What a cursor that begins has found, but has not looked at yet. Indirect, because it is large and seldom there.
  @usableFromInline
  indirect enum Unread: Sendable {
    /// The first update that the cursor's own position found. The cursor looks at it once it has caught up.
    case update(Joint, Stamp)
    /// A switch that was put back.
    case source(OuterReading, Stamp)
  }

  /// Kept alive as long as the next cursor.
  @usableFromInline let source: Outer.Element
  // Kept alive too: the actors whose cells the inner source reads.
  @exclusivity(unchecked) @usableFromInline var hosts: LivingHosts?

  @exclusivity(unchecked) @usableFromInline var side: CursorSide<Outer>
  // Nil once the next cursor has caught up with the former cursor.
  @exclusivity(unchecked) @usableFromInline var former: Former?
  // What the next cursor has still to look at.
  @exclusivity(unchecked) @usableFromInline var unread: Unread?

  @inlinable
  init(_ source: Outer.Element, _ side: CursorSide<Outer>, after former: Former) {
    self.source = source
    unsafe self.side = side
    unsafe self.former = former
  }

  /// Shows the side the next update up to a version. Returns false if there is no such update: then the next cursor has
  /// caught up. If the cursor that has read the outer source has given up its position, that log no longer changes.
  @inlinable
  func readOn(to version: UInt64) -> Bool {
    guard let former = unsafe former.take() else { return false }
    switch former {
    case .first(var root):
      guard readOn(to: version, in: &root) else { return false }
      unsafe self.former = .first(root)
    case .later(var root):
      guard readOn(to: version, in: &root) else { return false }
      unsafe self.former = .later(root)
    }
    return true
  }

  // With the backlog `.unbounded`, a copy of the position is enough to read the log. Other backlogs may leave out
  // updates. To read is to take the values out of the slots of the log. This is sound for two reasons: no other reader
  // has a position in this joint cell, which the driver has made for itself, and the former cursor reads nothing more
  // with the original position. When that position is given up, the log goes as a whole, and a slot that was taken is
  // empty.
  @inlinable
  func readOn<Other>(
    to version: UInt64,
    in root: inout CellCursor<JointValue<Outer.Origin, Other>>
  ) -> Bool {
    guard root.position.depth == .max, unsafe side.base.root.seen != version,
      case .element(let joint, _) = root.nextFresh(in: nil)
    else { return false }
    _ = unsafe side.drain(joint.left)
    return true
  }
}
