/// One of the two cursors that read a joint cell together. The owner of a side shows the side what the cell of that
/// side held.
@usableFromInline
struct CursorSide<Base: BindingCursor>: Sendable {
  @usableFromInline var base: Base
  // Belongs to one reader. Nil in the cursor of a source, because each reader copies that cursor.
  @usableFromInline var pass: PassSnapshot<Base.Origin>?

  /// The last element that this side has returned.
  @usableFromInline var newest: Base.Element?
  /// The version that this side has seen; 0 if the other side reads the same cell and counts its versions.
  @usableFromInline var version: UInt64 = 0
  /// The number of updates that this side has skipped since the owner last showed it something.
  @usableFromInline var skipped: UInt64 = 0
  /// Whether the other side reads the same cell, and counts the versions of that cell.
  @usableFromInline var isRepeated = false

  @inlinable
  init(_ base: Base) {
    self.base = base
  }

  @inlinable var hasBegun: Bool { pass != nil }

  /// Begins to read. `snapshot` is what the cell holds when the reader begins.
  ///
  /// - Parameter depth: The number of unseen versions that may wait for the reader.
  @inlinable
  mutating func start(at snapshot: Snapshot<Base.Origin>, depth: UInt32) {
    pass = base.root.start(at: snapshot, depth: depth)
  }

  /// Shows this side what its cell held. After this, the owner pulls the elements.
  @inlinable
  mutating func show(_ snapshot: Snapshot<Base.Origin>) {
    if let pass { base.root.show(snapshot, in: pass) }
    isRepeated = snapshot.isRepeated
    skipped = 0
  }

  /// Returns the next element that this side makes of what it was shown.
  @inlinable
  mutating func pull() -> Pull<Base.Element> {
    let pull = base.next(in: pass)
    switch pull {
    case .element(_, let stamp), .rejected(let stamp):
      if isRepeated { break }
      version = stamp.version
      skipped &+= stamp.skipped
    case .idle, .finished:
      // The cell keeps its value alive; a reader that has seen the value does not.
      if let pass { base.root.clear(pass) }
    }
    return pull
  }

  /// Shows this side what its cell held, and pulls until there are no more elements. Returns true if there is a new
  /// element. Does not ask the cursor again if it has seen that version: each earlier call has pulled all elements.
  @inlinable
  mutating func drain(_ snapshot: Snapshot<Base.Origin>) -> Bool {
    if base.root.seen == snapshot.version {
      skipped = 0
      return false
    }
    show(snapshot)
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

extension CursorSide {
  /// Shows this side what its cell held, and pulls until there are no more elements. Returns true if there is a change:
  /// an element that was not current when the reader began. Keeps no element.
  @inlinable
  mutating func drainChanges(_ snapshot: Snapshot<Base.Origin>) -> Bool {
    let isSeen = base.root.seen == snapshot.version
    show(snapshot)
    if isSeen { return false }
    var isChanged = false
    while true {
      switch pull() {
      case .element(_, let stamp): isChanged = isChanged || !stamp.isInitial
      case .rejected: continue
      case .idle, .finished: return isChanged
      }
    }
  }
}

extension CellCursor {
  /// Returns the next update of a cell that no user code writes. Outside a pass, also brings the cell up to date: with
  /// the backlog `.latest` before it reads, and with other backlogs when nothing is left to read.
  @inlinable
  mutating func nextFresh(in pass: PassSnapshot<Value>?) -> Pull<Value> {
    if pass == nil, position.depth == 1 { cell.refreshIfStale() }
    let pull = next(in: pass)
    guard pass == nil, position.depth > 1, case .idle = pull else { return pull }
    cell.refreshIfStale()
    return next(in: nil)
  }
}

extension ReadPosition {
  /// Returns the value that was current when the reader began, or `first` for a reader that wants all values. `first`
  /// is the first value that this reader receives.
  @inlinable
  mutating func firstValue(or first: Value) -> Value {
    if isTaken, depth == .max { return first }
    guard let start = chunk.take() else { return first }
    return start.value(of: start.firstVersion)
  }

  /// Makes both sides begin to read at the instant at which the reader began.
  @inlinable
  mutating func startSides<Left, Right>(
    _ left: inout CursorSide<Left>,
    _ right: inout CursorSide<Right>,
    or first: Value
  ) where Value == JointValue<Left.Origin, Right.Origin> {
    let start = firstValue(or: first)
    left.start(at: start.left, depth: depth)
    right.start(at: start.right, depth: depth)
  }
}
