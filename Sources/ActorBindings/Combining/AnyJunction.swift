internal import Synchronization

/// Brings the cell of a combination up to date: no user code writes that cell, and it holds what several cells held at
/// one instant.
///
/// It does nothing until a reader looks. A reader that is about to read the cell, or to park in it, first has the
/// junction bring the cell up to date, in the same step. So a writer pays for no reader that is busy. When a reader
/// parks, the junction parks an `InputWaiter` in each of the cells that it follows. The next writer of one of them
/// finds the input waiter there, brings the combination up to date and wakes the parked readers. So backlogs, lanes and
/// passes work for this cell as for any other.
///
/// `JunctionState` decides what the junction keeps for its readers, and what a look has found; `FollowerStep` says how far a
/// step has come. The junction takes the locks, asks them, releases the locks and acts.
///
/// ### Events
/// | event | before the step, under the lock | after it |
/// |---|---|---|
/// | a reader joins | it attaches; begins the history if the reader wants more than the newest value; is brought up to date | – |
/// | a reader looks | is brought up to date, if it is attached | – |
/// | a writer wakes an input waiter | is brought up to date, if a reader is parked or it is eager | – |
/// | a reader leaves | nothing | ends the history, or detaches, if no reader needs it |
///
/// ### Locks
/// The lock of the joint cell comes first, then the locks of the followed cells, in the order of their addresses. Code here
/// whose name ends in `WhileLocked` runs under the first; `group.locked` takes the others.
// @unchecked: the lock of the cell that the junction brings up to date guards all variables, except the atomic `found`.
// So the variables need no check of overlapping accesses.
@usableFromInline
package class AnyJunction: Upstream, @unchecked Sendable {
  /// The cells that the junction follows.
  @usableFromInline final let group: CellGroup
  // The positions in these cells, in the order in which the combination names them.
  private final let inputs: [AnyJunctionInput]
  /// Whether readers compare the instants at which the cells were written.
  @usableFromInline final let isOrdered: Bool

  private final var inputWaiters: [InputWaiter] = []
  @exclusivity(unchecked) @usableFromInline final var storedMachine = JunctionState()

  @inlinable
  @inline(__always)
  final var machine: JunctionState {
    _read { yield unsafe storedMachine }
    _modify { yield unsafe &storedMachine }
  }

  // The sum of the watermarks that the last look found. Readers may compare it without the lock.
  private final let found = Atomic(UInt64.max)

  /// What the caller must release, and wake, after the lock.
  @usableFromInline
  struct Leftovers: Sendable {
    @usableFromInline var nodes: [AnyLogNode] = []
    @usableFromInline var woken: Waiter?
    @usableFromInline var isFollowingChanged = false

    @inlinable
    init() {}

    @inlinable
    mutating func add(_ others: Woken) { others.add(to: &woken) }
  }

  @exclusivity(unchecked) @usableFromInline final var leftovers = Leftovers()

  @usableFromInline typealias Perform =
    @Sendable (AnyJunction, AnyCell, Purpose, (inout Roster) -> Void) -> Void
  // A stored function, because a method that is found through a generic class's table is not specialized.
  private final let perform: Perform

  @usableFromInline
  init(_ group: CellGroup, _ inputs: [AnyJunctionInput], isOrdered: Bool, perform: @escaping Perform) {
    self.group = group
    self.inputs = inputs
    self.isOrdered = isOrdered
    self.perform = perform
    super.init()
  }

  final override var sources: [AnyCell]? { group.cells }

  final override var isJoint: Bool { true }

  @usableFromInline package final override var isPulled: Bool { true }

  @usableFromInline
  package final override var isStale: Bool {
    let sum = group.cells.reduce(0) { $0 &+ $1.watermark.rawValue }
    return sum != found.load(ordering: .relaxed)
  }

  final override func read(_ cell: AnyCell, for purpose: Purpose, _ step: (inout Roster) -> Void) {
    if case .joining = purpose {
      for source in group.cells { source.upstream?.willBeFollowed(source) }
    }
    perform(self, cell, purpose, step)
  }

  /// Wakes the readers and tells the followed cells. Called after the lock.
  @usableFromInline
  final func act(on leftovers: consuming Leftovers) {
    if let woken = leftovers.woken { Woken(first: woken).wake() }
    if leftovers.isFollowingChanged {
      for source in group.cells { source.upstream?.followersChanged(source) }
    }
  }
}

// MARK: - Under the lock

extension AnyJunction {
  @inlinable
  final func takeLeftoversWhileLocked() -> Leftovers {
    defer { unsafe leftovers = Leftovers() }
    return unsafe leftovers
  }

  /// Looks at all cells at one instant. With a history, it notes how far the cells have come; otherwise it calls `take`
  /// if they hold anything new. If they hold nothing new, or the junction is eager, it parks the input waiters in the same
  /// step, because a reader may be about to park too.
  ///
  /// The problem: a reader must not park if a writer gets in between its look and its parking, and it must not see one
  /// cell before a change and another after it. Cells could be read one after the other and then validated by their
  /// versions, as a transaction does: a reader would repeat that for as long as writers go on, and would still have to
  /// take all locks to park. So each look takes all locks, for as long as it takes to copy some values and to link the
  /// input waiters. The price is that writers of two cells, which otherwise never meet, may wait for one look.
  @usableFromInline
  final func readInputsWhileLocked(beginsHistory: Bool, take: () -> Void) -> Goal {
    group.locked { lookWhileLocked(beginsHistory: beginsHistory, take: take) }
  }

  private final func lookWhileLocked(beginsHistory: Bool, take: () -> Void) -> Goal {
    var (versions, watermarks, isEnd) = (UInt64(0), UInt64(0), true)
    for cell in group.cells {
      let watermark = cell.rosterWhileLocked.watermark
      versions &+= watermark.version
      watermarks &+= watermark.rawValue
      isEnd = isEnd && watermark.isFinished
    }
    found.store(watermarks, ordering: .relaxed)
    let outcome = machine.looked(versions)
    if outcome.parksInputWaiters { inputWaiters.forEach { $0.parkWhileLocked() } }
    if machine.follower.hasHistory {
      inputs.forEach { $0.noteCutWhileLocked() }
    } else if outcome.isNew {
      take()
    }
    if beginsHistory { inputs.forEach { $0.beginHistoryWhileLocked() } }
    return Goal(cuts: inputs.reduce(0) { $0 &+ $1.cut }, isEnd: isEnd)
  }

  /// What the first look of one step found, and what the junction must read before it takes the step. The junction
  /// leaves later writes to the next step. So no step lasts for as long as writers continue.
  @usableFromInline
  struct Goal: Sendable {
    /// The sum, over all inputs, of the versions that the look found: up to there the junction must read the history.
    fileprivate let cuts: UInt64
    /// Whether all cells had ended.
    @usableFromInline let isEnd: Bool
  }

  /// Returns whether history up to `goal` is unread. The junction reads updates in the order of their instants, so the
  /// sums tell.
  @usableFromInline
  final func isBehindWhileLocked(_ goal: Goal) -> Bool {
    Int64(bitPattern: goal.cuts &- inputs.reduce(0) { unsafe $0 &+ $1.seen }) > 0
  }

  /// Advances to the next instant at which one of the cells was written, up to the last look. Returns false if there is
  /// none.
  ///
  /// This merges the logs of the cells by their instants. The log of each cell is in order, so the next instant is the least
  /// of those that are next in each log. A joint log, to which each writer adds, would make this merge needless; but then
  /// writers of different cells would meet at that log, with or without a reader that is behind.
  @usableFromInline
  final func advanceWhileLocked() -> Bool {
    var first: LogicalInstant?
    for input in inputs {
      if let instant = input.nextInstant { first = min(first ?? instant, instant) }
    }
    guard let first else { return false }
    for input in inputs { unsafe input.advanceWhileLocked(through: first, &leftovers.nodes) }
    return true
  }

  @usableFromInline
  final func endHistoryWhileLocked() {
    unsafe leftovers.isFollowingChanged = true
    // The last look left what it found to the history, and some of that is unread. So the next look must take it.
    if inputs.contains(where: { unsafe $0.seen != $0.cut }) { forgetWhileLocked() }
    group.locked { endPositionsWhileLocked() }
  }

  private final func endPositionsWhileLocked() {
    for input in inputs { unsafe input.endHistoryWhileLocked(&leftovers.nodes) }
  }

  @usableFromInline
  final func attachWhileLocked(_ cell: AnyCell) {
    machine.attached()
    unsafe leftovers.isFollowingChanged = true
    if inputWaiters.isEmpty { inputWaiters = group.cells.map { InputWaiter(from: $0, to: cell) } }
    group.locked { joinSourcesWhileLocked(as: cell) }
  }

  private final func joinSourcesWhileLocked(as cell: AnyCell) {
    if isOrdered { inputs.forEach { $0.startOrderingWhileLocked() } }
    for source in group.cells { source.rosterWhileLocked.followerJoined(cell) }
  }

  @usableFromInline
  final func detachWhileLocked(_ cell: AnyCell) {
    unsafe leftovers.isFollowingChanged = true
    group.locked { leaveSourcesWhileLocked(as: cell) }
    // An input waiter that a writer has taken already, and is about to run, finds no parked reader.
    inputWaiters = []
  }

  private final func leaveSourcesWhileLocked(as cell: AnyCell) {
    if isOrdered { inputs.forEach { $0.stopOrderingWhileLocked() } }
    inputWaiters.forEach { $0.leaveWhileLocked() }
    for source in group.cells { source.rosterWhileLocked.followerLeft(ObjectIdentifier(cell)) }
  }

  /// The largest number of instants that the junction reads in one hold of the lock.
  @inlinable package static var longestPortion: Int { 256 }

  /// Forgets what the last look found: the next look counts as new.
  @usableFromInline
  final func forgetWhileLocked() {
    machine.forgotten()
    found.store(.max, ordering: .relaxed)
  }
}
