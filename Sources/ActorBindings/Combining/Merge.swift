/// Merges the values of two sources, in the order in which they were written. Each value is one element.
///
/// ```swift
/// for await event in merge(orders.map(Event.order), payments.map(Event.payment)).values(backlog: .unbounded) { … }
/// ```
///
/// The result begins with the current value of each source, in the order in which the call names them if no reader has
/// read them together before. It ends when both sources have ended. A reader with the backlog `.latest` receives the
/// newest value of each source, the older value first. With `.bounded(n)`, a busy reader receives what was written at
/// the newest n instants, and before that what the other source held at the first of these instants.
@inlinable
public func merge<First: BindingSource, Second: BindingSource>(
  _ first: First,
  _ second: Second
) -> some BindingSource<First.Value> where First.Value == Second.Value {
  DerivedSource(MergeCursor(first.cursor, second.cursor))
}

/// Merges the values of three sources. For more, merge merged sources.
@inlinable
public func merge<First: BindingSource, Second: BindingSource, Third: BindingSource>(
  _ first: First,
  _ second: Second,
  _ third: Third
) -> some BindingSource<First.Value> where First.Value == Second.Value, Second.Value == Third.Value {
  merge(merge(first, second), third)
}

/// The cursor of `merge`.
@usableFromInline
struct MergeCursor<Left: BindingCursor, Right: BindingCursor>: BindingCursor
where Left.Element == Right.Element {
  /// An element of either source.
  @usableFromInline typealias Element = Left.Element
  /// What the cells of both sources held at one instant.
  @usableFromInline typealias Origin = JointValue<Left.Origin, Right.Origin>

  /// The innermost cursor.
  @usableFromInline var root: CellCursor<Origin>
  @usableFromInline var left: CursorSide<Left>
  @usableFromInline var right: CursorSide<Right>

  @usableFromInline
  enum Turn: Sendable {
    case left
    case right
  }

  // The sides that may still have elements of what both were shown.
  @usableFromInline var turn: Turn?
  @usableFromInline var afterwards: Turn?

  @inlinable
  init(_ left: Left, _ right: Right) {
    root = CellCursor(cell: Cell(joining: left.root.cell, right.root.cell, isOrdered: true))
    self.left = CursorSide(left)
    self.right = CursorSide(right)
  }

  /// Returns the next element of either source.
  @inlinable
  mutating func next(in pass: PassSnapshot<Origin>?) -> Pull<Element> {
    while true {
      while let now = turn {
        switch now == .left ? left.pull() : right.pull() {
        case .element(let element, let stamp): return .element(element, stamped(stamp))
        case .rejected(let stamp): return .rejected(stamped(stamp))
        case .idle, .finished: (turn, afterwards) = (afterwards, nil)
        }
      }
      switch root.nextFresh(in: pass) {
      case .element(let joint, _):
        if !left.hasBegun { root.position.startSides(&left, &right, or: joint) }
        left.show(joint.left)
        right.show(joint.right)
        (turn, afterwards) = joint.right.instant < joint.left.instant ? (.right, .left) : (.left, .right)
      case .rejected(let stamp): return .rejected(stamp)
      case .idle: return .idle
      case .finished: return .finished
      }
    }
  }

  // Reports skipped updates once: with the next element, or the next rejection.
  @inlinable
  mutating func stamped(_ stamp: Stamp) -> Stamp {
    defer {
      left.skipped = 0
      right.skipped = 0
    }
    return Stamp(
      version: left.version &+ right.version,
      skipped: left.skipped &+ right.skipped,
      isInitial: stamp.isInitial
    )
  }
}
