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

  /// Shows it what its cell held; it is pulled then.
  ///
  /// - Parameters:
  ///   - place: Where the reader stands in the joint cell, and how much it may have waiting.
  ///   - stamp: Where the joint comes from.
  @inlinable
  mutating func show<Origin>(
    _ shown: Shown<Base.Origin>,
    for place: Place<Origin>,
    _ stamp: Stamp
  ) {
    let round = round ?? begin(at: shown.version, for: place, stamp)
    round.begin(at: shown.version)
    round.value = shown.value
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
  mutating func look<Origin>(
    at shown: Shown<Base.Origin>,
    for place: Place<Origin>,
    _ stamp: Stamp
  ) -> Bool {
    show(shown, for: place, stamp)
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

  @inlinable
  mutating func begin<Origin>(
    at version: UInt64,
    for place: Place<Origin>,
    _ stamp: Stamp
  ) -> Round<Base.Origin> {
    let round = Round<Base.Origin>()
    self.round = round
    base.root.place = Place(shown: version, depth: place.depth)
    // Some of the cells were written since the reader began, and which is not known.
    base.root.place.isFresh = stamp.isInitial
    return round
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
