internal import Synchronization

/// Brings the joint cell of a combination up to date. That cell holds what several cells held at one instant, and no
/// user code writes it.
///
/// The junction does nothing until a reader looks. Before a reader reads the joint cell or parks in it, the junction
/// brings that cell up to date, in the same step. So a writer pays nothing for a busy reader. When a reader parks, the
/// junction parks an `InputWaiter` in each cell that it follows. The next writer of such a cell finds the input waiter,
/// brings the joint cell up to date and wakes the parked readers. So backlogs, lanes and passes work for the joint cell
/// as for any other cell.
///
/// `JunctionState` decides what the junction keeps for its readers, and whether a look has found anything new.
/// `FollowerStep` says how far a step has come. The junction takes the locks, asks these two state machines, releases
/// the locks and acts.
///
/// ### Events
/// | event | what the junction does before the step, under the lock | what it does after the step |
/// |---|---|---|
/// | a reader joins | attaches; begins the history if the reader wants more than the newest value; brings the cell up to date | – |
/// | a reader looks | brings the cell up to date, if the junction is attached and the last look is outdated | – |
/// | a writer wakes an input waiter | brings the cell up to date, if a reader is parked or the junction is eager: looks at only the written cell, if the last look shows the other cells | – |
/// | a reader leaves | nothing | ends the history if no reader needs it; detaches if no reader is left |
///
/// ### Locks
/// A thread takes the lock of the joint cell first, and then the locks of the followed cells, in the order of their
/// addresses. A function here whose name ends in `WhileLocked` runs under the lock of the joint cell. `group.locked`
/// takes the other locks.
// @unchecked: the lock of the joint cell guards all variables, except the atomic `found`. So the variables need no
// check of overlapping accesses.
@usableFromInline
package class AnyJunction: Upstream, @unchecked Sendable {
  /// The cells that the junction follows.
  @usableFromInline final let group: CellGroup
  // The junction's positions in the cells of `group`, in the order in which the combination names the cells.
  final let inputs: [AnyJunctionInput]
  /// Whether readers compare the instants at which the cells were written.
  @usableFromInline final let isOrdered: Bool
  // Whether the joint cell ends although some of the cells go on. The inputs say which ones.
  private final let endsEarly: Bool

  final var inputWaiters: [InputWaiter] = []
  @exclusivity(unchecked) @usableFromInline final var storedMachine = JunctionState()

  @inlinable
  @inline(__always)
  final var machine: JunctionState {
    _read { yield unsafe storedMachine }
    _modify { yield unsafe &storedMachine }
  }

  // The sum of the watermarks that the last look found. A reader compares it with the current sum, without the lock.
  private final let found = Atomic(UInt64.max)

  /// What the caller must release, and the readers that the caller must wake, after the lock.
  @usableFromInline
  struct Leftovers: Sendable {
    @usableFromInline var passed = PassedHistory()
    @usableFromInline var woken: Waiter?
    @usableFromInline var isFollowingChanged = false

    @inlinable
    init() {}

    @inlinable
    mutating func add(_ others: consuming Woken) {
      if let first = others.first, woken == nil { woken = first } else { others.add(to: &woken) }
    }
  }

  @usableFromInline typealias Perform =
    @Sendable (AnyJunction, AnyCell, Purpose, InputWaiter?, (inout Roster) -> Void) -> Void
  // A stored function, because the compiler does not specialize a call through the method table of a generic class.
  private final let perform: Perform

  @usableFromInline
  init(
    _ group: CellGroup,
    _ inputs: [AnyJunctionInput],
    isOrdered: Bool,
    ending: [AnyCell]?,
    perform: @escaping Perform
  ) {
    self.group = group
    self.inputs = inputs
    self.isOrdered = isOrdered
    endsEarly = ending != nil
    self.perform = perform
    super.init()
    guard let ending else { return }
    for input in inputs { input.mustEnd = ending.contains { $0 === input.cell } }
  }

  final override var sources: [AnyCell]? { group.cells }

  final override var endingCells: [AnyCell]? {
    endsEarly ? CellGroup(inputs.lazy.filter(\.mustEnd).map(\.cell)).cells : nil
  }

  final override var isJoint: Bool { true }

  final override var comparesInstants: Bool { isOrdered }

  @usableFromInline package final override var isPulled: Bool { true }

  final override func mayParkWhileLocked() -> Bool { isLastLookCurrentWhileLocked }

  @usableFromInline
  package final override var isStale: Bool { group.watermarkSum != found.load(ordering: .relaxed) }

  package final override func keptUpdates(in source: AnyCell, for cell: AnyCell) -> KeptUpdates? {
    cell.locked { _ in keptUpdatesWhileLocked(in: source) }
  }

  final override func read(_ cell: AnyCell, for purpose: Purpose, _ step: (inout Roster) -> Void) {
    if case .joining = purpose {
      for source in group.cells { source.upstream?.willBeFollowed(source) }
    }
    perform(self, cell, purpose, nil, step)
  }

  /// A writer has written a cell that the junction follows, and so has woken `inputWaiter`, which was parked there.
  final func sourceWritten(_ inputWaiter: InputWaiter, _ cell: AnyCell) {
    perform(self, cell, .refreshing, inputWaiter) { _ in }
  }

  /// Wakes the readers, and tells the upstreams of the followed cells if the followers of these cells have changed.
  /// Called after the lock.
  @usableFromInline
  final func act(on leftovers: inout Leftovers) {
    if let woken = leftovers.woken.take() { Woken.wakeAll(from: woken) }
    if leftovers.isFollowingChanged {
      for source in group.cells { source.upstream?.followersChanged(source) }
    }
    leftovers.passed.clear()
  }
}

// MARK: - Under the lock

extension AnyJunction {
  /// Looks at all cells at one instant. If the junction has a history, the look notes how far each cell has come.
  /// Without a history, the look calls `take` if the cells hold anything new. If the cells hold nothing new, the look
  /// also parks the input waiters, because a reader may be about to park in this step. If the junction is eager, or if
  /// the look is for parked readers, it parks the input waiters in any case.
  ///
  /// The problem: a reader must not park if a writer writes between the reader's look and its parking. A reader must
  /// not see one cell before a change and another cell after that change, either. A reader could read the cells one
  /// after the other and then validate their versions, as a transaction does. But the reader would repeat this as long
  /// as writers continue, and would have to take all locks anyway to park. So each look takes all locks, and holds them
  /// only long enough to copy some values and to link the input waiters. The price is that writers of different cells,
  /// which otherwise never wait for each other, may wait for the same look.
  @usableFromInline
  final func readInputsWhileLocked(
    beginsHistory: Bool,
    isForParkedReaders: Bool,
    take: () -> Void
  ) -> Goal {
    group.locked {
      lookWhileLocked(beginsHistory: beginsHistory, isForParkedReaders: isForParkedReaders, take: take)
    }
  }

  private final func lookWhileLocked(
    beginsHistory: Bool,
    isForParkedReaders: Bool,
    take: () -> Void
  ) -> Goal {
    var (versions, watermarks, isEnd) = (UInt64(0), UInt64(0), true)
    for cell in group.cells {
      let watermark = cell.rosterWhileLocked.watermark
      versions &+= watermark.version
      watermarks &+= watermark.rawValue
      isEnd = isEnd && watermark.isFinished
    }
    if endsEarly { isEnd = inputs.allSatisfy { !$0.mustEnd || $0.cell.rosterWhileLocked.isFinished } }
    found.store(watermarks, ordering: .relaxed)
    let outcome = machine.looked(versions, isForParkedReaders: isForParkedReaders)
    if outcome.parksInputWaiters { inputWaiters.forEach { $0.parkWhileLocked() } }
    if machine.follower.hasHistory {
      inputs.forEach { $0.noteCutWhileLocked() }
    } else if outcome.isNew {
      take()
    }
    if beginsHistory { inputs.forEach { $0.beginHistoryWhileLocked() } }
    return Goal(cuts: inputs.reduce(0) { $0 &+ $1.cut }, isEnd: isEnd)
  }

  /// Whether the joint cell shows what the cells hold, and each input waiter is parked or about to be woken. Then a
  /// reader needs no look, neither to read nor to park.
  ///
  /// The problem: a delivery takes three steps, the wake-up, the beginning of the turn, and its end. If each of them
  /// took the locks of all cells, a combination of n cells would take 3 n locks for one write. But usually no cell is
  /// written between these steps. Watermarks only rise, so an equal sum means that no cell was written since the last
  /// look until its watermark was loaded here. So all cells held what the joint cell shows when the first of them was
  /// loaded. A writer that comes later wakes an input waiter after its write, and takes the lock of the joint cell to do
  /// so. By then the reader has parked, so that writer wakes it.
  @usableFromInline
  final var isLastLookCurrentWhileLocked: Bool {
    machine.isLastLookUsable && group.watermarkSum == found.load(ordering: .relaxed)
  }

  /// Looks at only the cell of `inputWaiter`, which a writer has just woken, and parks `inputWaiter` again. Calls `take`
  /// if that cell was written since the last look. Returns false if another cell was written too, or if that cell has
  /// ended: then the caller must look at all cells.
  ///
  /// The other cells still hold what the joint cell shows, if their watermarks are those of the last look: each of them
  /// was not written until its watermark was loaded here, under the lock of the cell that was written. A transaction
  /// publishes the watermarks of all its cells before it releases the lock of any. So if a transaction wrote the cell,
  /// this function sees that the other cells of the transaction were written too.
  ///
  /// If readers compare instants, they need a look at all cells. A writer of another cell may have taken an earlier
  /// instant than the writer of this cell, and may not have published its watermark yet. A look at all cells waits for
  /// the lock of that writer.
  ///
  /// A junction with a history needs such a look for the same reason: other histories of the same cells show overlapping
  /// writes in the order of their instants.
  @usableFromInline
  final func readSideWhileLocked(
    _ inputWaiter: InputWaiter,
    take: () -> Void
  ) -> Bool {
    inputWaiter.source.locked { _ in lookAtSideWhileLocked(inputWaiter, take: take) }
  }

  private final func lookAtSideWhileLocked(_ inputWaiter: InputWaiter, take: () -> Void) -> Bool {
    let (watermark, former) = (inputWaiter.source.rosterWhileLocked.watermark, inputWaiter.found)
    let (sum, updates) = (group.watermarkSum, watermark.version &- former.version)
    guard !isOrdered, !inputWaiter.hasLeft, !watermark.isFinished,
      sum &- watermark.rawValue == found.load(ordering: .relaxed) &- former.rawValue
    else { return false }
    found.store(sum, ordering: .relaxed)
    inputWaiter.parkWhileLocked()
    if machine.sideLooked(updates: updates) { take() }
    return true
  }

  /// What the first look of a step found: how far the junction must read in that step. The junction leaves later writes
  /// to the next step, so a step ends even if writers never pause.
  @usableFromInline
  struct Goal: Sendable {
    /// The sum of the versions that the look found in all inputs. The junction must read the history up to these
    /// versions.
    fileprivate let cuts: UInt64
    /// Whether the cells that end the joint cell had ended at that look.
    @usableFromInline let isEnd: Bool
  }

  /// Returns the number of updates that the junction has still to read up to `goal`. The number is negative if the
  /// junction has read further. The junction reads the updates of all cells in the order of their instants, so it is
  /// enough to compare the sums of the versions.
  @usableFromInline
  final func remainingCountWhileLocked(to goal: Goal) -> Int {
    var seen: UInt64 = 0
    forEachInput { unsafe seen &+= $0.seen }
    return Int(truncatingIfNeeded: goal.cuts &- seen)
  }

  /// Tells the machine if all history that the last look found is read. Since this step looked, another step may have
  /// looked too, and found more.
  @usableFromInline
  final func noteHistoryWhileLocked() {
    if !machine.follower.hasHistory || inputs.allSatisfy({ unsafe $0.seen == $0.cut }) {
      machine.historyRead()
    }
  }

  /// Advances to the next instant at which one of the cells was written, but not beyond the last look. Returns the number
  /// of updates at that instant: a transaction may have written several cells. Zero if there is no such instant.
  ///
  /// This merges the logs of the cells by their instants. The log of each cell is in order, so the next instant is the
  /// least of the next instants of all logs. One joint log, to which every writer appends, would make this merge
  /// needless. But then writers of different cells would contend for that log, even if no reader were behind.
  @usableFromInline
  final func advanceWhileLocked(_ leftovers: inout Leftovers) -> Int {
    var first: LogicalInstant?
    forEachInput { input in
      if let instant = input.nextInstant { first = min(first ?? instant, instant) }
    }
    guard let first else { return 0 }
    var count = 0
    forEachInput { input in
      if input.advanceWhileLocked(through: first, &leftovers.passed) { count += 1 }
    }
    return count
  }

  // Counts no references to the inputs, which the junction holds.
  @inline(__always)
  private final func forEachInput(_ body: (AnyJunctionInput) -> Void) {
    for index in inputs.indices {
      unsafe Unmanaged.passUnretained(inputs[index])._withUnsafeGuaranteedRef(body)
    }
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
