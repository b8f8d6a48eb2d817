/// Pairs the values of two sources: the first value of each, then the second value of each, and so on.
///
/// While a value has no partner, it waits at the reader. With the backlog `.unbounded` all such values wait. So nothing
/// is lost, but memory grows while one source runs ahead. With `.bounded(n)` a busy reader looks at the newest n
/// updates of the two sources together, and the newest n values of each source wait. With `.latest` the newest value of
/// each source waits. If a backlog leaves out a value, all later pairs shift. The result begins with the current value
/// of each source, and ends when both have ended. Then values without a partner are dropped.
///
/// Readers of one returned source share one joint cell. Each call creates another. For more than two sources, pass a
/// list of sources of one type, or zip the pairs with a third source.
@inlinable
public func zip<First: BindingSource, Second: BindingSource>(
  _ first: First,
  _ second: Second
) -> some BindingSource<(First.Value, Second.Value)> {
  DerivedSource(ZipCursor(first.cursor, second.cursor))
}

/// The cursor of `zip`.
@usableFromInline
struct ZipCursor<Left: BindingCursor, Right: BindingCursor>: WrappingCursor {
  /// A pair: one element of each source.
  @usableFromInline typealias Element = (Left.Element, Right.Element)

  /// The cursor of the joint cell.
  @usableFromInline var base: JointCursor<Left, Right>
  @usableFromInline var unpairedLeft = UnpairedElements<Left.Element>()
  @usableFromInline var unpairedRight = UnpairedElements<Right.Element>()
  @usableFromInline var isInitial = false
  @usableFromInline var lastMove = LastMove()

  @inlinable
  init(_ left: Left, _ right: Right) {
    base = JointCursor(left, right, for: "zip")
  }

  /// The newest version of which this cursor has returned all pairs.
  @inlinable var completed: UInt64 { lastMove.completed(at: root.seen) }

  /// Returns the next pair, or `.rejected` if an element has no partner yet.
  @inlinable
  mutating func next(in pass: PassSnapshot<Base.Origin>?) -> Pull<Element> {
    if let pair = takePair() { return pair }
    return base.next(in: pass, noting: &lastMove).flatMap { joint, stamp in
      base.show(joint)
      unpairedLeft.add(from: &base.left, limit: base.root.depth)
      unpairedRight.add(from: &base.right, limit: base.root.depth)
      isInitial = stamp.isInitial
      return takePair() ?? .rejected(takeStamp())
    }
  }

  @inlinable
  mutating func takePair() -> Pull<Element>? {
    if unpairedLeft.isEmpty || unpairedRight.isEmpty { return nil }
    return .element((unpairedLeft.removeFirst(), unpairedRight.removeFirst()), takeStamp())
  }

  // The initial update may make several pairs. Only the first of them, or a rejection, counts as initial.
  @inlinable
  mutating func takeStamp() -> Stamp {
    defer { isInitial = false }
    return base.takeStamp(isInitial: isInitial)
  }
}

/// The elements of one side that have no partner yet, oldest first.
@usableFromInline
struct UnpairedElements<Element: Sendable>: Sendable {
  // In reverse order: the element that has waited longest is at the end.
  @usableFromInline var old: [Element] = []
  @usableFromInline var new: [Element] = []

  @inlinable
  init() {}

  @inlinable var isEmpty: Bool { old.isEmpty && new.isEmpty }

  @inlinable
  mutating func add<Base: BindingCursor>(from side: inout CursorSide<Base>, limit: UInt32)
  where Base.Element == Element {
    while true {
      switch side.pull() {
      case .element(let element, _):
        new.append(element)
        if old.count + new.count > Int(limit) { _ = removeFirst() }
      case .rejected: continue
      case .idle, .finished: return
      }
    }
  }

  @inlinable
  mutating func removeFirst() -> Element {
    if old.isEmpty {
      old = new.reversed()
      new = []
    }
    return old.removeLast()
  }
}
