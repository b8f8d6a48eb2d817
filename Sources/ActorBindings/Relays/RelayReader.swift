public import Synchronization

/// The isolation of one relay: its readers and its timer run there, never two at once.
@usableFromInline
actor RelayActor {
  fileprivate func runTurn(of reader: RelayReader) {
    reader.runTurn()
  }
}

/// Reads a source for the driver of a relay, which writes another cell. The shell around `RelayReaderState`.
///
/// It is registered in the roster of its source, beside the lanes. So `settled()` waits for it, and a sweep for dead
/// owners goes on to the cell that it feeds. It counts as one reader of the source, however many readers that cell has.
///
/// A lane cannot do this. A lane always parks when it has nothing left to deliver, so each write wakes it. A relay's
/// reader rests while its driver needs nothing, and then a write costs its writer nothing.
// @unchecked: each variable says what guards it.
@usableFromInline
package class RelayReader: Deliverer, @unchecked Sendable {
  /// An operation of the subclass, which knows the cursor.
  @usableFromInline
  enum ErasedOperation: Sendable {
    /// Hand what is new to the driver. Made in a turn.
    case read
    /// Give up the position.
    case leaveWhileLocked
    /// Release the cursor and the driver. Never made under a lock.
    case release
  }

  /// The cell that it reads.
  final let source: AnyCell
  /// The cell that its driver writes.
  final let relayCell: AnyCell
  private final let actor: RelayActor

  // Guarded by the lock of the source, so it need not be checked for overlapping accesses.
  @exclusivity(unchecked) private final var storedState = RelayReaderState()

  private final var state: RelayReaderState {
    get { unsafe storedState }
    _modify { yield unsafe &storedState }
  }

  // Used only on the relay's isolation, by a turn; after the end, only by the thread that has ended the reader.
  private final var ends: [(cell: AnyCell, endWaiter: EndWaiter)] = []

  // Used only on the relay's isolation, by a turn.
  private final var budget = TurnBudget()

  @usableFromInline final let cancellation = Atomic(false)

  // A stored function, because a method that is found through a generic class's table is not specialized.
  private final let perform: (RelayReader, ErasedOperation) -> RelayReadOutcome

  @usableFromInline
  init(
    from source: AnyCell,
    to relayCell: AnyCell,
    on actor: RelayActor,
    perform: @escaping (RelayReader, ErasedOperation) -> RelayReadOutcome
  ) {
    self.source = source
    self.relayCell = relayCell
    self.actor = actor
    self.perform = perform
    super.init()
  }

  private final var key: ContextKey { .relay(ObjectIdentifier(self)) }

  @inlinable final var isCancelled: Bool { cancellation.load(ordering: .sequentiallyConsistent) }

  package final override func wake() {
    enqueue()
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

  private final func enqueue() {
    // Detached: the job inherits neither the task-local values nor the priority of the writer.
    Task.detached { [actor] in await actor.runTurn(of: self) }
  }
}

// MARK: - Reading

// The problem: the operators before a relay are user code, and may cancel this very reader, or take the last reader of
// the relay away. Also the reader may be one of a quick succession, as with `switchToLatest`, and what waits for it in
// `settled()` must neither be lost nor wait for ever. So a turn owns the cursor: it moves it out of the reader and
// back, and a canceller that comes meanwhile only sets a flag, which the turn finds before each element and when it
// ends. Then the turn gives up the position. The tasks that wait go to the next reader in the step in which this one
// ends, and twice at the most.
extension RelayReader {
  /// Begins to read. The position is already taken and counted.
  final func register() {
    guard let due = source.locked({ registerWhileLocked(&$0) }) else { return }
    enqueue()
    source.sweep(due)
  }

  // Returns nil if the reader was cancelled before it began.
  private final func registerWhileLocked(_ roster: inout Roster) -> AnyCell.SweepDue? {
    if state.phase == .ended { return nil }
    roster.delivererJoined(self, key)
    return AnyCell.SweepDue(roster.observationJoined(), true, roster)
  }

  /// Runs another turn, for which the driver asks. Called on the relay's isolation. The reader may be parked instead of
  /// resting, if only the end was left to wait for.
  final func resume() {
    _ = source.locked { $0.unparked(self) }
    runTurn()
  }

  /// Reads what is new, and then parks, rests, yields or ends. Called on the relay's isolation.
  final func runTurn() {
    let begin = source.locked { state.turnBegan(isParked: $0.isParked(self)) }
    if begin == .refused { return }
    if begin == .begunAfterRest { stopWaitingForEnds() }
    startBudget()
    while true {
      var readOutcome = perform(self, .read)
      // If all cells have ended, there is nothing to rest for: the reader waits for the end, if it has not read the end
      // yet.
      if case .rests(let version) = readOutcome, !startWaitingForEnds() { readOutcome = .caughtUp(version) }
      let outcome = source.read(for: .reading) { readEndedWhileLocked(readOutcome, &$0) }
      if case .leave = outcome.step { release() }
      if case .handedOver(let next, _) = readOutcome { next.takeOver(outcome.handedOver) }
      outcome.resumed.forEach { $0.resume() }
      switch outcome.step {
      case .again: continue
      case .yield: enqueue()
      case .park, .rest, .leave: break
      }
      return
    }
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
    case .again, .yield, .rest: break
    }
    return outcome
  }

  // Takes over the tasks that waited for the reader before this one. They wait for what is published now.
  private final func takeOver(_ tasks: [SettledCallQueue.HandedOver]) {
    if tasks.isEmpty { return }
    let resumed = source.read(for: .reading) { state.adopted(tasks, isParked: $0.isParked(self), $0) }
    resumed.forEach { $0.resume() }
  }

  /// Ends the reader. Called from any thread, any number of times. If a turn is under way, that turn ends the reader
  /// later.
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
  // The first elements of a turn tell whether the operators are slow, unless the turn before it has told that.
  private final func startBudget() {
    budget = budget.isOver ? TurnBudget(at: LaneExecutor.monotonicTime()) : TurnBudget()
  }

  /// Counts one element that the reader has asked for. Returns false if the turn is over: then other jobs come first.
  @usableFromInline
  final func mayGoOn() -> Bool {
    budget.spent(calls: 1)
    if budget.isClockDue { budget.clockRead(at: LaneExecutor.monotonicTime()) }
    return budget.mayGoOn
  }
}

// MARK: - Resting

// The problem: while a driver needs no value, for example until an interval has passed, a write should cost its writer
// nothing. But a reader in the wait list is woken by each write, and a reader that is in no list misses the end of its
// source. It could stay parked and not answer: then a fast writer makes a job for each of its writes. It could ask from
// time to time: then there is a timer for each reader. So the cell has a second list, of waiters for the end only,
// which no update looks at. A source may be several cells, each with its own end, so there is one waiter in each of
// them.
extension RelayReader {
  // Has the end of each cell of the source wake the reader from here on. Returns false if all of them have ended.
  private final func startWaitingForEnds() -> Bool {
    if ends.isEmpty {
      ends = source.sources.map { cell in (cell, EndWaiter { [weak self] in self?.enqueue() }) }
    }
    var waits = false
    for (cell, endWaiter) in ends where cell.joinEnd(endWaiter) { waits = true }
    return waits
  }

  private final func stopWaitingForEnds() {
    for (cell, endWaiter) in ends { cell.leaveEnd(endWaiter) }
  }
}
