public import Synchronization

/// Reads a source for the driver of a relay. The driver writes the relay's cell. The shell around `RelayReaderState`.
///
/// The reader is registered in the roster of its source, beside the lanes. So `settled()` waits for it, and a sweep for
/// dead owners in the source also sweeps the relay's cell. The reader counts as one reader of the source, however many
/// readers the relay's cell has.
///
/// A lane could not do the work of this reader. A lane always parks when it has nothing left to deliver, so each write
/// wakes it. A relay's reader rests while its driver needs nothing. During that time a write costs its writer nothing.
// @unchecked: each variable says what guards it.
@usableFromInline
@safe
package class RelayReader: Deliverer, @unchecked Sendable {
  /// An operation of the subclass, which knows the type of the cursor.
  @usableFromInline
  enum ErasedOperation: Sendable {
    /// Hand what is new to the driver. Only a turn performs this.
    case read
    /// Tell which version the cursor has seen last, if its backlog is `.unbounded`. No turn reads meanwhile.
    case tellSeenWhileLocked
    /// Give up the position.
    case leaveWhileLocked
    /// Release the cursor and the driver. Never performed under a lock.
    case release
  }

  /// The cell that the reader reads.
  @usableFromInline final let source: AnyCell
  /// The cell that the reader's driver writes.
  final let relayCell: AnyCell
  // The upstream of `relayCell`, which holds it. Unmanaged, because a wake-up must not count references.
  private final let relay: Unmanaged<AnyRelay>
  private final let turns: RelayTurns
  // Whether a turn may run on the thread of a writer: the cursor runs no code of users, and nothing feeds the source.
  private final let mayRunOnWriter: Bool
  // Whether this reader needs all updates.
  private final let isUnbounded: Bool
  /// How far the cursor may read; nil if the cursor may read all that is published. The turn moves this on, under the
  /// lock of the source. No other thread uses it.
  @usableFromInline final let passSnapshot: AnyPassSnapshot?

  // Guarded by the lock of the source, so Swift need not check for overlapping accesses.
  @exclusivity(unchecked) private final var storedState = RelayReaderState()

  private final var state: RelayReaderState {
    get { unsafe storedState }
    _modify { yield unsafe &storedState }
  }

  // The waiters for the ends of the source's cells. Only a turn uses them; after the end of the reader, only the thread
  // that has ended it.
  private final var ends: [(cell: AnyCell, endWaiter: EndWaiter)] = []

  // Used only by a turn.
  private final var budget = TurnBudget()

  // The newest version of which the driver has received all elements. Used only by the turns of the relay.
  @usableFromInline final var handledVersion: UInt64

  // Whether a job is under way that the reader itself has asked for. Used only by the turns of the relay, and before the
  // reader begins.
  private final var hasJob = false

  @usableFromInline final let cancellation = Atomic(false)

  // The time of the last wake-up, or 0. Used only if a turn may run on the thread of a writer.
  private final let lastWakeUp = Atomic<UInt64>(0)

  // A stored function, because the compiler does not specialize a call through the method table of a generic class.
  private final let perform: (RelayReader, ErasedOperation) -> RelayReadOutcome

  @usableFromInline
  init(
    from source: AnyCell,
    to relayCell: AnyCell,
    in turns: RelayTurns,
    after version: UInt64,
    runsNoUserCode: Bool,
    isUnbounded: Bool,
    passSnapshot: AnyPassSnapshot?,
    perform: @escaping (RelayReader, ErasedOperation) -> RelayReadOutcome
  ) {
    guard let upstream = relayCell.upstream else {
      preconditionFailure("a relay writes a cell without upstream")
    }
    unsafe relay = unsafe .passUnretained(unsafeDowncast(upstream, to: AnyRelay.self))
    self.source = source
    self.relayCell = relayCell
    self.turns = turns
    self.isUnbounded = isUnbounded
    self.passSnapshot = passSnapshot
    handledVersion = version
    mayRunOnWriter = runsNoUserCode && source.upstream == nil
    self.perform = perform
    super.init()
  }

  private final var key: ContextKey { .relay(ObjectIdentifier(self)) }

  @inlinable final var isCancelled: Bool { cancellation.load(ordering: .sequentiallyConsistent) }

  // The problem: a task and a hop to another thread for each write cost a `debounce` twenty times what it does with the
  // value. But operators are code of users, and no write may run that. So only a reader without operators runs its turn
  // on the thread of the writer. In a burst of writes a job is better: until it runs, no write wakes the reader.
  package final override func wake() {
    if mayRunOnWriter {
      if isBurst() { enqueue() } else { turns.perform(.turn(self, onWriter: true)) }
    } else if !(unsafe relay._withUnsafeGuaranteedRef { $0.lane(in: relayCell, takesTurnOf: self) }) {
      enqueue()
    }
  }

  // Returns whether a writer has woken the reader a moment ago.
  private final func isBurst() -> Bool {
    let now = Lane.monotonicTime() &+ 1
    let last = lastWakeUp.exchange(now, ordering: .relaxed)
    return last != 0 && now &- last < Self.shortestPause
  }

  /// The time between two wake-ups of a reader, in nanoseconds, below which the second one belongs to a burst. A job
  /// costs its writer about this time.
  private static var shortestPause: UInt64 { 1_000 }

  /// Runs a turn on this thread, or leaves it to a job, if another turn of the relay is under way.
  final func takeTurn() {
    turns.perform(.turn(self))
  }

  package final override var fedCell: AnyCell? { relayCell }

  package final override func unreadWhileLocked(_ roster: Roster) -> KeptUpdates? {
    switch state.phase {
    // Only the turn may look at the position.
    case .reading: return isUnbounded ? KeptUpdates(count: 0, positions: 1) : nil
    case .ended: return nil
    case .waiting, .resting:
      guard case .behind(let seen?) = perform(self, .tellSeenWhileLocked) else { return nil }
      return KeptUpdates(count: roster.version &- seen, positions: 1)
    }
  }

  package final override func sweep(in cell: AnyCell) {
    relayCell.sweep()
  }

  package final override func settledCallJoinedWhileLocked(
    _ call: SettledCall,
    _ roster: Roster
  ) -> Bool {
    state.settledCallJoined(call, isParked: roster.isParked(self), roster)
  }

  // Runs a turn in a job.
  private final func enqueue() {
    turns.enqueue(.turn(self))
  }

  // Runs another turn in a job. If such a job is under way already, that is enough: a reader that another reader's turn
  // resumes may ask again before its job has run.
  private final func enqueueNext() {
    if hasJob { return }
    hasJob = true
    turns.enqueue(.nextTurn(self))
  }

  /// Runs the turn for which the reader has asked. Called in the relay's turn.
  final func runNextTurn() {
    hasJob = false
    runTurn()
  }
}

// MARK: - Reading

// The problem: the operators before a relay are user code. They may cancel this very reader, or end the last reader of
// the relay. So a turn owns the cursor. A canceller that comes meanwhile only sets a flag and takes the reader out of
// the count. The turn checks the flag before each element and at its end. If the flag is set, the turn gives up the
// position.
extension RelayReader {
  /// Begins to read. The position is already taken and counted. If there is more to read, a job runs the first turn.
  ///
  /// - Parameter version: The version at which the cursor has found nothing more; nil if it may find more.
  final func register(idleAt version: UInt64?) {
    let start = source.read(for: .reading) { registerWhileLocked(idleAt: version, &$0) }
    guard let due = start.due else { return }
    if !start.isParked { enqueueNext() }
    source.sweep(due)
  }

  private struct Start: Sendable {
    /// Nil if the reader was cancelled before it began.
    var due: AnyCell.SweepDue?
    var isParked = false
  }

  private final func registerWhileLocked(idleAt version: UInt64?, _ roster: inout Roster) -> Start {
    if state.phase == .ended { return Start() }
    roster.delivererJoined(self, key)
    let isParked = state.beginsParked(idleAt: version, roster)
    if isParked { roster.parked(self) }
    let due = AnyCell.SweepDue(mayLoseOwner: true, isNewDeliverer: true, &roster)
    return Start(due: due, isParked: isParked)
  }

  /// Runs another turn when the driver asks for one. Called in the relay's turn. The reader may be parked instead
  /// of resting, if it has only the end of the source left to wait for.
  ///
  /// - Parameter isNested: Whether this is part of another reader's turn, and must be short.
  @usableFromInline
  final func resume(isNested: Bool = false) {
    _ = source.locked { $0.unparked(self) }
    runTurn(isShort: isNested)
  }

  /// Reads what is new, and then parks, rests, yields or ends. Called in the relay's turn.
  ///
  /// - Parameter isShort: Whether the turn must be short: because this is the thread of a writer, which must not read for
  ///   long what others write, or because the turn is part of another reader's turn.
  final func runTurn(isShort: Bool = false) {
    if passSnapshot != nil { source.refreshIfStale() }
    let begin = source.locked { turnBeganWhileLocked($0) }
    if begin == .refused { return }
    if begin == .begunAfterRest { stopWaitingForEnds() }
    startBudget(isShort: isShort)
    while true {
      var readOutcome = perform(self, .read)
      // If all cells that end the source have ended, no end is left that could wake a resting reader. So the reader
      // continues until it has read the end.
      if case .rests(let version) = readOutcome, !startWaitingForEnds() { readOutcome = .caughtUp(version) }
      let outcome = source.read(for: .reading) { readEndedWhileLocked(readOutcome, &$0) }
      if case .leave = outcome.step { release() }
      outcome.resumed.forEach { $0.resume() }
      switch outcome.step {
      case .again: continue
      case .yield: enqueueNext()
      case .park, .rest, .leave: break
      }
      return
    }
  }

  private final func turnBeganWhileLocked(_ roster: Roster) -> RelayReaderState.RunStart {
    let begin = state.turnBegan(isParked: roster.isParked(self))
    // If the turn is refused, another turn may be reading, and it uses the snapshot.
    if begin != .refused { passSnapshot?.setWatermarkWhileLocked(roster) }
    return begin
  }

  private final func readEndedWhileLocked(
    _ readOutcome: RelayReadOutcome,
    _ roster: inout Roster
  ) -> RelayReaderState.TurnOutcome {
    let outcome = state.readEnded(readOutcome, mayGoOn: self.budget.mayGoOn, roster)
    switch outcome.step {
    case .park: roster.parked(self)
    case .leave(let isCounted):
      if isCounted { roster.readersLeft() }
      leaveWhileLocked(&roster)
    case .again: passSnapshot?.setWatermarkWhileLocked(roster)
    case .yield, .rest: break
    }
    return outcome
  }

  /// Ends the reader. Any thread may call this, any number of times. If a turn is under way, that turn ends the reader
  /// later.
  @usableFromInline
  final func cancel() {
    cancellation.store(true, ordering: .sequentiallyConsistent)
    let outcome = source.read(for: .leaving) { cancelledWhileLocked(&$0) }
    if case .leave = outcome.cancellation { release() }
    outcome.resumed.forEach { $0.resume() }
  }

  private final func cancelledWhileLocked(_ roster: inout Roster) -> RelayReaderState.CancelOutcome {
    let outcome = state.cancelled()
    switch outcome.cancellation {
    case .leave:
      roster.readersLeft()
      leaveWhileLocked(&roster)
    case .uncount: roster.readersLeft()
    case .nothing: break
    }
    return outcome
  }

  private final func leaveWhileLocked(_ roster: inout Roster) {
    _ = roster.unparked(self)
    roster.delivererLeft(self, key)
    _ = perform(self, .leaveWhileLocked)
  }

  private final func release() {
    stopWaitingForEnds()
    ends = []
    _ = perform(self, .release)
  }
}

// MARK: - Turns

extension RelayReader {
  // If the last turn ran out of time, the operators are slow. Otherwise the first elements of the new turn show whether
  // the operators are slow.
  private final func startBudget(isShort: Bool) {
    budget = isShort ? .shortest : budget.isOver ? TurnBudget(at: Lane.monotonicTime()) : TurnBudget()
  }

  /// Counts one element that the reader has asked for. Returns false if the turn is over: then other jobs come first.
  @usableFromInline
  final func mayGoOn() -> Bool {
    budget.spent(calls: 1)
    if budget.isClockDue { budget.clockRead(at: Lane.monotonicTime()) }
    return budget.mayGoOn
  }
}

// MARK: - Resting

// The problem: while a driver needs no value, for example until an interval has passed, a write should cost its writer
// nothing. But each write wakes the readers in the wait list, and a reader in no list misses the end of its source. A
// reader could stay parked and do nothing when it is woken. Then a fast writer would create a job for each of its
// writes. Or a reader could poll. Then each reader would need a timer. So a cell has a second list, which holds only
// the waiters for the end, and no update looks at this list. A source may consist of several cells, each with its own
// end. So the reader has one waiter in each cell whose end is part of the end of the source.
extension RelayReader {
  // Makes the end of each cell that ends the source wake the reader. Returns false if all these cells have ended.
  private final func startWaitingForEnds() -> Bool {
    if ends.isEmpty {
      ends = source.endingCells.map { cell in (cell, EndWaiter { [weak self] in self?.enqueue() }) }
    }
    var waits = false
    for (cell, endWaiter) in ends where cell.joinEnd(endWaiter) { waits = true }
    return waits
  }

  private final func stopWaitingForEnds() {
    for (cell, endWaiter) in ends { cell.leaveEnd(endWaiter) }
  }
}
