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
  /// How many updates it skipped of what it was shown last.
  @usableFromInline var skipped: UInt64 = 0
  /// The other side is shown the same cell, and counts it.
  @usableFromInline var isRepeated = false

  @inlinable
  init(_ base: Base) {
    self.base = base
  }

  @inlinable var hasBegun: Bool { round != nil }

  /// Its reader begins when this is current.
  ///
  /// - Parameter depth: How much the reader may have waiting.
  @inlinable
  mutating func begin(at shown: Shown<Base.Origin>, depth: UInt32) {
    round = Round<Base.Origin>()
    base.root.place = Place(shown: shown.version, depth: depth)
    if base.root.cell.isJoint, let start = shown.value { base.root.place.node = LogNode(start) }
  }

  /// Shows it what its cell held; it is pulled then.
  @inlinable
  mutating func show(_ shown: Shown<Base.Origin>) {
    round?.begin(at: shown.version)
    round?.value = shown.value
    isRepeated = shown.isRepeated
    skipped = 0
  }

  /// What it makes of what it was shown.
  @inlinable
  mutating func pull() -> Pull<Base.Element> {
    let pull = base.next(in: round)
    switch pull {
    case .element(_, let stamp), .rejected(let stamp):
      if isRepeated { break }
      version = stamp.version
      skipped &+= stamp.skipped
    case .idle, .finished:
      // A value is kept by its cell, not by who has seen it.
      round?.value = nil
    }
    return pull
  }

  /// Shows it what its cell held, and pulls until it has nothing more to say. True if it has something new.
  @inlinable
  mutating func look(at shown: Shown<Base.Origin>) -> Bool {
    show(shown)
    var isNew = false
    while true {
      switch pull() {
      case .element(let element, _):
        newest = element
        isNew = true
      case .rejected: continue
      case .idle, .finished: return isNew
      }
    }
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

extension Place {
  /// What was current when the reader began; for one who wants all, what he is handed first.
  @inlinable
  mutating func start(or first: Value) -> Value {
    (isTaken && depth == .max ? nil : node.take()?.value) ?? first
  }

  /// Both sides begin where the reader did.
  @inlinable
  mutating func begin<Left, Right>(
    _ left: inout CursorSide<Left>,
    _ right: inout CursorSide<Right>,
    or first: Value
  ) where Value == Joint<Left.Origin, Right.Origin> {
    let start = start(or: first)
    left.begin(at: start.left, depth: depth)
    right.begin(at: start.right, depth: depth)
  }
}
