/// What a cell holds, and what it decides. A pure state machine: no lock, no task, no call to anybody.
///
/// What does not depend on the type of the value, it finds in the `Roster`.
///
/// ### States
/// - *open*: updates are taken.
/// - *finished*: the value stays, later updates are ignored, readers end once they have seen everything.
///
/// ### Transitions
/// | event | open | finished |
/// |---|---|---|
/// | `sent` | next version, all who are parked are woken | ignored |
/// | `edited` | next version, changed in place, all who are parked are woken; nothing if it declines | ignored |
/// | `drafted` | next version if the draft is of the current one, else a fresh draft | ignored, else a fresh draft |
/// | `finish` | finished, all who are parked are woken | nothing |
/// | `joined`, `left` | a place more, a place less | the same |
///
/// ### Actions
/// What an event returns, the shell does after the lock: `Woken` must be woken; nodes, spills and whatever came
/// back through an `inout` value must be released.
///
/// ### Behavior
/// The log is kept only while somebody needs each update: it costs nothing without `.unbounded` readers, and the
/// window nothing without `.bounded` ones that are behind. Into a `Ledger`, if there is one, goes what each update changed.
@usableFromInline
package struct CellState<Value: Sendable>: Sendable {
  @usableFromInline package var value: Value

  // The newest node of the log; nil if no `.unbounded` reader is there. Not counted: as long as such a reader has its
  // place it holds a node, and that node all that came after it.
  @usableFromInline unowned(unsafe) var storedTail: LogNode<Value>?
  @usableFromInline package var logReaders = 0
  /// So many readers compare the updates of this cell with those of others.
  @usableFromInline package var orderedReaders = 0
  /// When the current update took effect, if there were such readers then.
  @usableFromInline package var newest = Instant.unordered
  @usableFromInline package var window = Window<Value>()
  /// Nil if nobody wants to know what each update changed.
  @usableFromInline package private(set) var ledger: Ledger<Value>?
  /// There are `.unbounded` or `.bounded` readers, or some who compare, or there is a ledger.
  @usableFromInline package var keepsHistory = false

  @inlinable
  package init(_ value: Value) {
    self.value = value
  }
}

/// What a write obliges the writer to do after the lock.
@usableFromInline
package enum Publication<Value: Sendable>: Sendable {
  /// Wake these, and release this outdated update.
  case published(Woken, outdated: LogNode<Value>?)
  /// The cell is finished: nothing.
  case ignored
  /// Somebody else's `modify` goes first: wait a little, then try again.
  case deferred(Claim)
}

/// A copy of a cell's value, and the version it was copied at.
@usableFromInline
package struct Draft<Value: Sendable>: Sendable {
  @usableFromInline package var value: Value
  @usableFromInline package let version: UInt64

  @inlinable
  package init(value: Value, version: UInt64) {
    self.value = value
    self.version = version
  }
}

/// What became of a draft.
@usableFromInline
package enum DraftOutcome<Value: Sendable>: Sendable {
  case published(Publication<Value>)
  /// Another writer got in first: begin again with this one.
  case outrun(by: Draft<Value>)
}

/// What became of a change in place.
@usableFromInline
package enum EditOutcome<Value: Sendable, Result: Sendable>: Sendable {
  /// Wake these, and release this outdated update.
  case published(Woken, outdated: LogNode<Value>?, Result)
  /// It said that it cannot be made, and has changed nothing.
  case declined
  /// The cell is finished: the change was not made.
  case ignored
  /// Somebody else's `modify` goes first: wait a little, then try again.
  case deferred(Claim)
}

// MARK: - Writers

extension CellState {
  /// The newest node of the log; nil if no `.unbounded` reader is there.
  @inlinable
  package var tail: LogNode<Value>? {
    get { unsafe storedTail }
    set { unsafe storedTail = newValue }
  }

  @inlinable
  package func draft(_ roster: Roster) -> Draft<Value> {
    Draft(value: value, version: roster.version)
  }

  /// `new` becomes the value, and holds the old one after that.
  ///
  /// - Parameter instant: When this takes effect, if it is not alone in that.
  @inlinable
  package mutating func sent(
    _ new: inout Value,
    by writer: Claim.Writer = .passerBy,
    at instant: Instant? = nil,
    _ roster: inout Roster
  ) -> Publication<Value> {
    if roster.isFinished { return .ignored }
    if let claim = roster.claim, !claim.lets(writer) { return .deferred(claim) }
    swap(&value, &new)
    roster.version &+= 1
    guard keepsHistory else { return .published(roster.idle.takeAll(), outdated: nil) }
    ledger?.enter(value, after: new, roster.version)
    let outdated = record(at: instant)
    return .published(takeWoken(&roster), outdated: outdated)
  }

  /// `edit` changes the value in place, and enters what it has changed into the ledger, if there is one; or it returns
  /// nil, and has changed nothing.
  @inlinable
  package mutating func edited<Result: Sendable>(
    by writer: Claim.Writer = .passerBy,
    _ roster: inout Roster,
    _ edit: (inout Value, Ledger<Value>?, _ version: UInt64) -> Result?
  ) -> EditOutcome<Value, Result> {
    if roster.isFinished { return .ignored }
    if let claim = roster.claim, !claim.lets(writer) { return .deferred(claim) }
    guard let result = edit(&value, ledger, roster.version &+ 1) else { return .declined }
    roster.version &+= 1
    guard keepsHistory else { return .published(roster.idle.takeAll(), outdated: nil, result) }
    let outdated = record(at: nil)
    return .published(takeWoken(&roster), outdated: outdated, result)
  }

  // All parked readers, and what the update concerns.
  @inlinable
  func takeWoken(_ roster: inout Roster) -> Woken {
    guard let ledger else { return roster.idle.takeAll() }
    return roster.idle.takeAll(before: ledger.takeDue())
  }

  /// `draft` was changed by its owner. If it is still of the current version it becomes the value.
  @inlinable
  package mutating func drafted(
    _ draft: inout Draft<Value>,
    by writer: Claim.Writer = .passerBy,
    _ roster: inout Roster
  ) -> DraftOutcome<Value> {
    // Also in a finished cell: what `modify` returns must stem from the value that stays.
    guard draft.version == roster.version else { return .outrun(by: self.draft(roster)) }
    return .published(sent(&draft.value, by: writer, &roster))
  }

  // Appends the current update to the log and the window; returns the one that the window lets go of.
  @inlinable
  mutating func record(at instant: Instant?) -> LogNode<Value>? {
    newest = instant ?? (orderedReaders > 0 ? .next() : .unordered)
    if logReaders == 0, window.readers == 0 { return nil }
    let node = LogNode(value, at: newest)
    if let tail {
      tail.next = node
      self.tail = node
    }
    return window.readers > 0 ? window.published(node) : nil
  }
}

// MARK: - Readers

extension CellState {
  /// A reader begins: it stands before the current update.
  ///
  /// - Parameter isJoint: The value is what several cells held.
  @inlinable
  package mutating func joined(depth: UInt32, at version: UInt64, isJoint: Bool = false) -> Place<Value> {
    var place = Place<Value>(before: version, depth: depth)
    if isJoint, depth != .max { place.node = LogNode(value) }
    switch depth {
    case 1: break
    case .max:
      let node = tail ?? LogNode(value)
      tail = node
      place.node = node
      logReaders += 1
      keepsHistory = true
    default:
      let tail = tail
      window.readerJoined(depth: depth, at: version) { [value] in tail ?? LogNode(value) }
      keepsHistory = true
    }
    return place
  }

  /// A reader gives up its place. What the place held is released after the lock, with what is returned.
  @inlinable
  package mutating func left(_ place: inout Place<Value>) -> Window<Value>.Spill {
    precondition(place.isTaken, "a reader left a place that it does not have")
    place.isTaken = false
    switch place.depth {
    case 1: return .nothing
    case .max:
      logReaders -= 1
      keepsHistory = mustKeepHistory
      // The place still holds the log up to the tail.
      if logReaders == 0 { tail = nil }
      return .nothing
    default:
      let spill = window.readerLeft(depth: place.depth, seen: place.seen)
      keepsHistory = mustKeepHistory
      return spill
    }
  }

  /// Somebody compares the updates of this cell with those of others.
  mutating func beginOrder() {
    orderedReaders += 1
    keepsHistory = true
  }

  /// He does not do so any more.
  mutating func endOrder() {
    orderedReaders -= 1
    keepsHistory = mustKeepHistory
    if orderedReaders == 0 { newest = .unordered }
  }

  /// From here on what each update changes is entered there.
  @usableFromInline
  package mutating func open(_ ledger: Ledger<Value>) {
    self.ledger = ledger
    keepsHistory = true
  }

  /// Returns the ledger, to be released after the lock.
  @usableFromInline
  package mutating func closeLedger() -> Ledger<Value>? {
    defer { keepsHistory = mustKeepHistory }
    return ledger.take()
  }

  @inlinable var mustKeepHistory: Bool {
    logReaders > 0 || window.readers > 0 || orderedReaders > 0 || ledger != nil
  }
}

extension CellState {
  /// Holds after every event; tests call it.
  package func checkInvariants(_ roster: Roster) {
    precondition((tail != nil) == (logReaders > 0), "the log is kept just while it has readers")
    precondition(tail?.next == nil, "the log goes on after its tail")
    precondition(keepsHistory == mustKeepHistory, "history is kept for nobody")
    window.checkInvariants()
  }
}
