/// The cursor of `combineLatest`: it reads a cell that holds what its sources' cells held at one instant, and shows
/// each of its two cursors its part of that.
public struct CombineLatestCursor<Left: BindingCursor, Right: BindingCursor>: BindingCursor {
  /// What both hand out.
  public typealias Element = (Left.Element, Right.Element)
  /// What the cells held.
  public typealias Origin = Joint<Left.Origin, Right.Origin>

  /// The innermost cursor.
  public var root: CellCursor<Origin>
  @usableFromInline var left: CursorSide<Left>
  @usableFromInline var right: CursorSide<Right>

  @usableFromInline
  init(_ left: Left, _ right: Right) {
    root = CellCursor(cell: Cell(joining: left.root.cell, right.root.cell))
    self.left = CursorSide(left)
    self.right = CursorSide(right)
  }

  /// The next element, or word that the sources rejected what was new.
  @inlinable
  public mutating func next(in round: Round<Origin>?) -> Pull<Element> {
    switch root.nextFresh(in: round) {
    case .element(let joint, let stamp):
      let isNewOnLeft = left.look(at: joint.left)
      let isNewOnRight = right.look(at: joint.right)
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
  /// The current elements, at one instant.
  @inlinable
  public var current: Element {
    var (left, right) = (left, right)
    guard let joint = root.cell.snapshot, left.look(at: joint.left), right.look(at: joint.right),
      let left = left.newest, let right = right.newest
    else { preconditionFailure("a state has no value") }
    return (left, right)
  }
}

/// One of the cursors that read a joint cell: it is shown what its own cell held.
@usableFromInline
struct CursorSide<Base: BindingCursor>: Sendable {
  @usableFromInline var base: Base
  // A reader's own: the cursor of a source has none, for it is copied.
  @usableFromInline var round: Round<Base.Origin>?

  /// What it has handed out last.
  @usableFromInline var newest: Base.Element?
  /// The version that it has seen; 0 if the other side counts it.
  @usableFromInline var version: UInt64 = 0
  /// How many updates it skipped in the last look.
  @usableFromInline var skipped: UInt64 = 0

  @inlinable
  init(_ base: Base) {
    self.base = base
  }

  /// True if it has handed out something new.
  @inlinable
  mutating func look(at shown: Shown<Base.Origin>) -> Bool {
    let round = round ?? begin(at: shown.version)
    round.begin(at: shown.version)
    round.value = shown.value
    // A source's value is kept by its cell, not by who has seen it.
    defer { round.value = nil }
    skipped = 0
    switch base.next(in: round) {
    case .element(let element, let stamp):
      newest = element
      count(stamp, isRepeated: shown.isRepeated)
      return true
    case .rejected(let stamp): count(stamp, isRepeated: shown.isRepeated)
    case .idle, .finished: break
    }
    return false
  }

  @inlinable
  mutating func begin(at version: UInt64) -> Round<Base.Origin> {
    let round = Round<Base.Origin>()
    self.round = round
    base.root.place = Place(before: version, depth: 1)
    return round
  }

  @inlinable
  mutating func count(_ stamp: Stamp, isRepeated: Bool) {
    if isRepeated { return }
    version = stamp.version
    skipped = stamp.skipped
  }
}

extension CellCursor {
  /// The next update of a cell that nobody writes: if this is not a round, it is brought up to date first.
  @inlinable
  mutating func nextFresh(in round: Round<Value>?) -> Pull<Value> {
    if round == nil, place.depth == 1 { cell.freshen() }
    let pull = next(in: round)
    guard round == nil, place.depth > 1, case .idle = pull else { return pull }
    cell.freshen()
    return next(in: nil)
  }
}
