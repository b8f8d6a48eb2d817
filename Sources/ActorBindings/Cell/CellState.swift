/// The value of a cell, and what a write, a reader and the end do to the cell. A pure state machine: no lock, no task,
/// no user code.
///
/// The `Roster` has the part of the state that does not depend on the type of the value.
///
/// ### States
/// - *open*: the cell takes updates.
/// - *finished*: the value stays, the cell ignores later updates, readers end once they have seen everything.
///
/// ### Transitions
/// | event | open | finished |
/// |---|---|---|
/// | `sent` | next version, all parked readers are woken; deferred if the claim of another writer goes first | ignored |
/// | `edited` | as `sent`, but in place; nothing if the edit declines | ignored |
/// | `drafted` | as `sent` if the draft is of the current version, else a fresh draft | ignored, else a fresh draft |
/// | `finished`, of the roster | finished, all parked readers are woken | nothing |
/// | `joined`, `left` | one position more, one position less | the same |
/// | `orderedReaderJoined`, `orderedReaderLeft` | each update is given an instant, until all such readers have left | the same |
/// | `openChangeLog`, `closeChangeLog` | each update enters its changes in the change log, until that log is closed | the same |
/// | `lastReaderLeft` | a placeholder takes the place of the value; this is no update | the same |
///
/// ### Actions
/// The shell acts on the result of an event after the lock: it wakes `Woken`, and releases outdated updates, evicted
/// updates and the value that comes back through an `inout` parameter.
///
/// ### Behavior
/// The cell keeps the log only while there are `.unbounded` readers, and the window only while a `.bounded` reader is
/// behind. A log or a window that the cell does not keep costs nothing. If there is a `ChangeLog`, each update enters
/// its changes in it.
@usableFromInline
@safe
package struct CellState<Value: Sendable>: Sendable {
  // Only code in this folder changes these variables. Their setters are not private, because inlinable functions set
  // the variables.
  @usableFromInline package internal(set) var value: Value

  // The newest chunk of the log; nil without `.unbounded` readers. An uncounted reference is enough: each `.unbounded`
  // reader holds a chunk, and that chunk holds all chunks after it. `Unmanaged`, because a write must not count
  // references.
  @usableFromInline var storedTail: Unmanaged<LogChunk<Value>>?
  /// The number of `.unbounded` readers.
  @usableFromInline package internal(set) var logReaders: UInt32 = 0
  /// The sum of the weights of these readers, and of readers that have left and still count (see `SlotCount`).
  @usableFromInline package internal(set) var logWeight: UInt32 = 0
  /// The number of logs that have lost their last reader.
  @usableFromInline package internal(set) var logsEnded: UInt32 = 0
  /// The number of calls of `orderedReaderJoined` without a matching call of `orderedReaderLeft`. While this number is
  /// not 0, each update is given an instant. A joint cell that follows this cell counts once if its readers compare
  /// instants, and once more while the joint cell has a history.
  @usableFromInline package internal(set) var orderedReaders: UInt32 = 0
  /// The instant of the current update; `unordered` if no reader compared instants at the time of the update.
  @usableFromInline package internal(set) var newest = LogicalInstant.unordered
  /// The change log; nil if no reader wants to know what each update changed.
  @usableFromInline package private(set) var changeLog: ChangeLog<Value>?
  /// Whether there are `.unbounded` or `.bounded` readers, or readers that compare instants, or a change log.
  @usableFromInline package internal(set) var keepsHistory = false
  // Last, because most writes touch only the variables above.
  @usableFromInline package internal(set) var window: Window<Value>

  @inlinable
  package init(_ value: Value) {
    self.value = value
    window = Window()
  }
}

/// What a writer must do after the lock.
@usableFromInline
package enum Publication<Value: Sendable>: Sendable {
  /// The cell has a new version: wake these waiters, and release this outdated update.
  case published(Woken, outdated: LogNode<Value>?)
  /// The cell is finished, and has ignored the write: do nothing.
  case ignored
  /// The claim of another writer's `modify` goes first: wait a little, then try again.
  case deferred(Claim)
}

/// A copy of a cell's value, and the version of that value.
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

/// The outcome of publishing a draft.
@usableFromInline
package enum DraftOutcome<Value: Sendable>: Sendable {
  case published(Publication<Value>)
  /// Another writer got in first: begin again with this fresh draft.
  case outrun(by: Draft<Value>)
}

/// The outcome of a change in place.
@usableFromInline
package enum EditOutcome<Value: Sendable, Result: Sendable>: Sendable {
  /// The cell has a new version: wake these waiters, and release this outdated update.
  case published(Woken, outdated: LogNode<Value>?, Result)
  /// The edit returned nil, and has changed nothing.
  case declined
  /// The cell is finished, and has not called the edit.
  case ignored
  /// The claim of another writer's `modify` goes first: wait a little, then try again.
  case deferred(Claim)
}

// MARK: - Writers

extension CellState {
  @inlinable
  package func draft(_ roster: Roster) -> Draft<Value> {
    Draft(value: value, version: roster.version)
  }

  /// A writer has sent `new`, which becomes the value. Afterwards `new` holds the old value.
  ///
  /// - Parameter instant: The instant that a transaction gives all its writes; nil if the write has no such instant.
  @inlinable
  package mutating func sent(
    _ new: inout Value,
    by writer: Claim.Writer = .ordinary,
    at instant: LogicalInstant? = nil,
    _ roster: inout Roster
  ) -> Publication<Value> {
    if roster.isFinished { return .ignored }
    if let claim = roster.claim, !claim.lets(writer) { return .deferred(claim) }
    swap(&value, &new)
    roster.updated()
    guard keepsHistory else { return .published(roster.takeParked(), outdated: nil) }
    newest = instant ?? nextInstant
    changeLog?.enterWhileLocked(value, after: new, roster.version, at: newest)
    let outdated = record(roster.version)
    roster.noteWrite(at: newest)
    return .published(takeWoken(&roster), outdated: outdated)
  }

  /// A writer changes the value in place by `edit`.
  ///
  /// - Parameter edit: A function that changes the value, and enters the change into the change log if there is one. To
  ///   decline the edit, it changes nothing and returns nil.
  @inlinable
  package mutating func edited<Result: Sendable>(
    by writer: Claim.Writer = .ordinary,
    _ roster: inout Roster,
    _ edit: (inout Value, ChangeLog<Value>?, _ version: UInt64) -> Result?
  ) -> EditOutcome<Value, Result> {
    if roster.isFinished { return .ignored }
    if let claim = roster.claim, !claim.lets(writer) { return .deferred(claim) }
    let instant = nextInstant
    changeLog?.willEnterWhileLocked(at: instant)
    guard let result = edit(&value, changeLog, roster.version &+ 1) else { return .declined }
    roster.updated()
    guard keepsHistory else { return .published(roster.takeParked(), outdated: nil, result) }
    newest = instant
    let outdated = record(roster.version)
    roster.noteWrite(at: newest)
    return .published(takeWoken(&roster), outdated: outdated, result)
  }

  // Takes out all parked readers, and the waiters in the change log that the update concerns.
  @inlinable
  func takeWoken(_ roster: inout Roster) -> Woken {
    // The state holds the change log, so this counts no reference to it.
    let uncounted = unsafe changeLog.map { unsafe Unmanaged.passUnretained($0) }
    guard let changeLog = unsafe uncounted else { return roster.takeParked() }
    return unsafe roster.takeParked(before: changeLog._withUnsafeGuaranteedRef { $0.takeDueWhileLocked() })
  }

  /// A writer has changed its `draft`. The draft becomes the value if its version is still the current one.
  @inlinable
  package mutating func drafted(
    _ draft: inout Draft<Value>,
    by writer: Claim.Writer = .ordinary,
    _ roster: inout Roster
  ) -> DraftOutcome<Value> {
    // A finished cell needs this check too: the result of `modify` must be computed from the last value.
    guard draft.version == roster.version else { return .outrun(by: self.draft(roster)) }
    return .published(sent(&draft.value, by: writer, &roster))
  }

  // The instant of an update that is under way.
  @inlinable var nextInstant: LogicalInstant { orderedReaders > 0 ? .next() : .unordered }

  // Appends the current update to the log and the window. Returns the update that the window no longer holds.
  @inlinable
  mutating func record(_ version: UInt64) -> LogNode<Value>? {
    if let tail = unsafe storedTail { unsafe append(version, to: tail) }
    return window.readers > 0 ? window.published(LogNode(value)) : nil
  }
}

// MARK: - Readers

extension CellState {
  /// A reader takes a position before the current update: that update is the first that the reader has not seen.
  ///
  /// - Parameter isJoint: Whether the value shows what several other cells held.
  @inlinable
  package mutating func joined(depth: UInt32, at version: UInt64, isJoint: Bool = false) -> ReadPosition<
    Value
  > {
    var position = ReadPosition<Value>(before: version, depth: depth)
    if isJoint, depth != .max { position.chunk = LogChunk(start: value, at: version) }
    switch depth {
    case 1: break
    case .max:
      position.chunk = joinedLog(at: version)
      keepsHistory = true
    default:
      window.readerJoined(depth: depth, at: version) { [value] in LogNode(value) }
      keepsHistory = true
    }
    return position
  }

  /// A reader gives up its position, when the cell has `version`. After the lock the caller releases the result, and
  /// what the position still holds.
  ///
  /// - Parameter cell: The cell of this state.
  @inlinable
  package mutating func left(
    _ position: inout ReadPosition<Value>,
    at version: UInt64,
    of cell: Cell<Value>
  ) -> Evicted<Value> {
    precondition(position.isTaken, "a reader left a position that it does not have")
    position.isTaken = false
    switch position.depth {
    case 1: return .nothing
    case .max:
      defer { keepsHistory = mustKeepHistory }
      return leftLog(position, at: version, of: cell)
    default:
      let evicted = window.readerLeft(depth: position.depth, seen: position.seen)
      keepsHistory = mustKeepHistory
      return evicted
    }
  }

  /// The last reader has left a cell that no user code writes. The cell does not keep its value alive for later
  /// readers, but swaps the value with `placeholder`. The swap is not an update.
  @inlinable
  package mutating func lastReaderLeft(_ placeholder: inout Value) {
    swap(&value, &placeholder)
  }

  /// Begins to give each update an instant. Readers compare updates of several cells by their instants.
  @inlinable
  package mutating func orderedReaderJoined() {
    orderedReaders += 1
    keepsHistory = true
  }

  /// Undoes one call of `orderedReaderJoined`.
  @inlinable
  package mutating func orderedReaderLeft() {
    orderedReaders -= 1
    keepsHistory = mustKeepHistory
    if orderedReaders == 0 { newest = .unordered }
  }

  /// Opens a change log: from now on each update enters its changes in this log.
  @usableFromInline
  package mutating func openChangeLog(_ changeLog: ChangeLog<Value>) {
    self.changeLog = changeLog
    keepsHistory = true
  }

  /// Closes the change log and returns it. The caller releases it after the lock.
  @usableFromInline
  package mutating func closeChangeLog() -> ChangeLog<Value>? {
    defer { keepsHistory = mustKeepHistory }
    return changeLog.take()
  }

  @inlinable var mustKeepHistory: Bool {
    logReaders > 0 || window.readers > 0 || orderedReaders > 0 || changeLog != nil
  }
}

extension CellState {
  /// Checks the conditions that hold after every event. For tests.
  package func checkInvariants(_ roster: Roster) {
    precondition((tail != nil) == (logReaders > 0), "the log is kept just while it has readers")
    precondition(tail?.next == nil, "the log goes on after its tail")
    precondition(tail?.holds(roster.version) ?? true, "the newest update is not in the tail of the log")
    precondition(logWeight >= logReaders, "a reader of the log is not counted")
    precondition(logReaders > 0 || logWeight == 0, "readers that have left still count")
    precondition(keepsHistory == mustKeepHistory, "history is kept for no reader")
    window.checkInvariants()
  }
}
