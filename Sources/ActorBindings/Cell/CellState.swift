/// What a cell knows, and what it decides. A pure state machine: no lock, no task, no call to anybody.
///
/// ### States
/// - *open*: updates are taken.
/// - *finished*: the value stays, later updates are ignored, readers end once they have seen everything.
///
/// ### Transitions
/// | event | open | finished |
/// |---|---|---|
/// | `sent` | next version, all who are parked are woken | ignored |
/// | `drafted` | next version if the draft is of the current one, else a fresh draft | ignored |
/// | `finish` | finished, all who are parked are woken | nothing |
/// | `joined`, `left` | a reader more, a reader less | the same |
///
/// ### Actions
/// What an event returns, the shell does after the lock: `Woken` must be woken; nodes, spills and whatever came
/// back through an `inout` value must be released.
///
/// ### Behavior
/// The log is kept only while somebody needs each update: it costs nothing without `.unbounded` readers, and the
/// window nothing without `.bounded` ones that are behind.
@usableFromInline
package struct CellState<Value: Sendable>: Sendable {
  @usableFromInline package var value: Value
  /// How many updates there have been.
  @usableFromInline package var version: UInt64 = 0
  @usableFromInline package var isFinished = false

  /// Who has seen everything.
  @usableFromInline package var idle = WaitList()

  /// Who modifies under contention, and is let go first.
  @usableFromInline package var claim: Claim?

  /// The newest node of the log; nil if no `.unbounded` reader is there.
  @usableFromInline package var tail: LogNode<Value>?
  @usableFromInline package var logReaders = 0
  @usableFromInline package var window = Window<Value>()
  /// There are `.unbounded` or `.bounded` readers.
  @usableFromInline package var keepsHistory = false

  /// Observations that have not ended, and iterators that are alive.
  package var readers = 0
  /// Readers that joined since the dead were last looked for.
  package var joinedSinceSweep = 0
  /// Readers that there were when the dead were last looked for.
  package var readersAtSweep = 0

  /// Who delivers where: a lane for each context that has observations.
  package var lanes: [ContextKey: Waiter] = [:]
  /// The lane of the cell's own isolation, which `update` serves itself.
  package var ownLane: Waiter?

  @usableFromInline
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
  init(value: Value, version: UInt64) {
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

// MARK: - Writers

extension CellState {
  @inlinable
  package var draft: Draft<Value> {
    Draft(value: value, version: version)
  }

  /// `new` becomes the value, and holds the old one after that.
  @inlinable
  package mutating func sent(_ new: inout Value, by writer: Claim.Writer = .passerBy) -> Publication<Value> {
    if isFinished { return .ignored }
    if let claim, !claim.lets(writer) { return .deferred(claim) }
    swap(&value, &new)
    version &+= 1
    let outdated = keepsHistory ? record() : nil
    return .published(idle.takeAll(), outdated: outdated)
  }

  /// `draft` was changed by its owner. If it is still of the current version it becomes the value.
  @inlinable
  package mutating func drafted(
    _ draft: inout Draft<Value>,
    by writer: Claim.Writer = .passerBy
  ) -> DraftOutcome<Value> {
    if isFinished { return .published(.ignored) }
    guard draft.version == version else { return .outrun(by: self.draft) }
    return .published(sent(&draft.value, by: writer))
  }

  package mutating func finish() -> Woken {
    isFinished = true
    return idle.takeAll()
  }

  // Appends the current update to the log and the window; returns the one that the window lets go of.
  @usableFromInline
  mutating func record() -> LogNode<Value>? {
    let node = LogNode(value, version: version)
    if let tail {
      // The old tail is not released here: who stands before it holds it.
      tail.next = node
      self.tail = node
    }
    return window.readers > 0 ? window.published(node) : nil
  }
}

// MARK: - Readers

extension CellState {
  /// A reader begins: it stands before the current update.
  @usableFromInline
  package mutating func joined(depth: UInt32) -> Place<Value> {
    var place = Place<Value>(before: version, depth: depth)
    switch depth {
    case 1: break
    case .max:
      let node = tail ?? LogNode(value, version: version)
      tail = node
      place.node = node
      logReaders += 1
      keepsHistory = true
    default:
      window.readerJoined(depth: depth) { tail ?? LogNode(value, version: version) }
      keepsHistory = true
    }
    return place
  }

  /// A reader gives up its place. What the place held is released after the lock, with what is returned.
  @usableFromInline
  package mutating func left(_ place: inout Place<Value>) -> Window<Value>.Spill {
    precondition(place.isTaken, "a reader left a place that it does not have")
    place.isTaken = false
    switch place.depth {
    case 1: return Window.Spill()
    case .max:
      logReaders -= 1
      keepsHistory = logReaders > 0 || window.readers > 0
      // The place still holds the log up to the tail.
      if logReaders == 0 { tail = nil }
      return Window.Spill()
    default:
      let spill = window.readerLeft(depth: place.depth, isBehind: place.seen != version)
      keepsHistory = logReaders > 0 || window.readers > 0
      return spill
    }
  }

  /// Whether a reader that stands at `place` has nothing left to see, and more may come.
  @inlinable
  package func isIdle(_ place: Place<Value>) -> Bool {
    place.seen == version && !isFinished
  }
}

extension CellState {
  /// Holds after every event; tests call it.
  package func checkInvariants() {
    precondition((tail != nil) == (logReaders > 0), "the log is kept just while it has readers")
    precondition(tail.map { $0.version == version && $0.next == nil } ?? true, "the log's tail is outdated")
    precondition(keepsHistory == (logReaders > 0 || window.readers > 0), "history is kept for nobody")
    window.checkInvariants()
  }
}
