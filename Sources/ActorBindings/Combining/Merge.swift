/// Merges the values of two sources, in the order in which they were written. Each value is one element.
///
/// ```swift
/// let events = merge(orders.map(Event.order), payments.map(Event.payment))
/// for await event in events.values(backlog: .unbounded) { … }
/// ```
///
/// The result begins with the current value of each source. If no reader has read the sources together before, these
/// values come in the order in which the call names the sources. The result ends when both sources have ended. A reader
/// with the backlog `.latest` receives the newest value of each source, the older value first. With `.bounded(n)`, a
/// busy reader receives the values that were written at the newest n instants. If only one source was written at the
/// first of these instants, the reader first receives the value that the other source held then.
///
/// If one transaction writes both sources, the value of the first source comes first. Readers of one returned source
/// share one joint cell. Each call creates another.
@inlinable
public func merge<First: BindingSource, Second: BindingSource>(
  _ first: First,
  _ second: Second
) -> some BindingSource<First.Value> where First.Value == Second.Value {
  DerivedSource(MergeCursor(first.cursor, second.cursor))
}

/// Merges the values of three sources. For more sources, pass a list of them, or a merged source.
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
struct MergeCursor<Left: BindingCursor, Right: BindingCursor>: WrappingCursor
where Left.Element == Right.Element {
  /// An element of either source.
  @usableFromInline typealias Element = Left.Element

  /// The cursor of the joint cell.
  @usableFromInline var base: JointCursor<Left, Right>

  @usableFromInline
  enum Side: Sendable {
    case left
    case right
  }

  // The side that `next` pulls now, and the side that `next` pulls after that. Both may still have elements of what
  // they were shown.
  @usableFromInline var current: Side?
  @usableFromInline var following: Side?
  @usableFromInline var lastMove = LastMove()

  @inlinable
  init(_ left: Left, _ right: Right) {
    base = JointCursor(left, right, for: "merge", isOrdered: true)
  }

  /// The newest version that both sides have read to its end.
  @inlinable var completed: UInt64 { lastMove.completed(at: root.seen) }

  /// Returns the next element of either source. Reads at most one update: its caller may look up the instant of that
  /// update before.
  @inlinable
  mutating func next(in pass: PassSnapshot<Base.Origin>?) -> Pull<Element> {
    if let pull = pullShown() { return pull }
    switch base.next(in: pass, noting: &lastMove) {
    case .element(let joint, let update):
      base.show(joint)
      (current, following) = joint.right.instant < joint.left.instant ? (.right, .left) : (.left, .right)
      return pullShown() ?? .rejected(base.takeStamp(isInitial: update.isInitial))
    case .rejected(let stamp): return .rejected(stamp)
    case .idle: return .idle
    case .finished: return .finished
    }
  }

  // Returns the next element, or rejection, of what the sides were shown; nil if there is none.
  @inlinable
  mutating func pullShown() -> Pull<Element>? {
    while let now = current {
      switch now == .left ? base.left.pull() : base.right.pull() {
      case .element(let element, let stamp):
        return .element(element, base.takeStamp(isInitial: stamp.isInitial))
      // The other side may have a current value, which a reader receives at once.
      case .rejected(let stamp) where stamp.isInitial: continue
      case .rejected(let stamp): return .rejected(base.takeStamp(isInitial: stamp.isInitial))
      case .idle, .finished: (current, following) = (following, nil)
      }
    }
    return nil
  }
}
