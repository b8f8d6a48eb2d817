internal import Synchronization

/// Delivers to the observations of one cell on one delivery context. The shell around `LaneState`.
///
/// The cell's roster holds the lane while the lane has observations, and the lane holds the cell's memory. When the
/// last observation has ended, the roster releases the lane.
// @unchecked: the cell's lock guards `state`; only the turn accesses `pass`.
@usableFromInline
package final class Lane: Deliverer, @unchecked Sendable {
  private let cell: AnyCell
  private let key: ContextKey
  private let executor: LaneExecutor
  private let mayRunAtOnce: Bool

  // Guarded by the cell's lock, so Swift need not check for overlapping accesses.
  @exclusivity(unchecked) private var storedState: LaneState

  private var state: LaneState {
    get { unsafe storedState }
    _modify { yield unsafe &storedState }
  }

  // Only the turn accesses this.
  private let pass: AnyPassSnapshot

  // True if the lane must remove ended observations after the call that is running.
  private let isRemovalDue = Atomic(false)

  // Only the turn accesses this. True if the last turn ended because its time had run out.
  private var wasTurnOver = false

  // The number of turns that the lane must still request: one for each turn that it has given up.
  private let turnsOwed = Atomic(0)

  init(_ context: DeliveryContext, of cell: AnyCell, version: UInt64) {
    self.cell = cell
    key = context.key
    executor = context.executor
    mayRunAtOnce = context.executor.mayRunAtOnce
    unsafe storedState = LaneState(version: version)
    pass = cell.makePassSnapshot()
    super.init()
  }

  package override func wake() {
    if mayRunAtOnce { NestedWakeUps.perform(self) } else { enqueue() }
  }

  override func sweep(in cell: AnyCell) {
    let mustWake = cell.locked { takeForSweepWhileLocked(&$0) }
    if mustWake { wake() }
  }

  private func takeForSweepWhileLocked(_ roster: inout Roster) -> Bool {
    state.sweepWanted(hasOwner: executor.hasOwner) && roster.unparked(self)
  }

  override func settledCallJoinedWhileLocked(_ call: SettledCall, _ roster: Roster) -> Bool {
    if state.count == 0 || roster.isParked(self) { return false }
    state.settledCallJoined(call, roster)
    return true
  }

  func enqueue() {
    executor.enqueue(self, host: cell.host)
  }

  /// Whether the lane still has a context to run on.
  var hasContext: Bool { executor.isAlive }
}

// MARK: - Running

// The problem: handlers are user code. They may take long, write to the cell, or end observations of the same lane.
// Meanwhile any thread may cancel an observation. If the lane took the lock for each handler, it would lock a thousand
// times for a thousand observations, and delay the writers each time. If the lane copied the list of observations for
// each update, each update would count a thousand references. So a turn *owns* the list of observations, which
// `LaneState` calls `residents`. Only the turn changes the links of the list, and it walks the list without a lock.
// Observations that begin during the turn wait in `arrivals`, and observations that are cancelled during the turn wait
// in `departed`, until the turn comes to them. The lock guards both.
//
// A pass shows one snapshot to all observations: the lane reads the cell once. An update that comes during the pass
// belongs to the next pass. Between two passes the lane decides, under the lock, whether to go on, to let other work on
// the context go first, or to park. It parks in the same step in which it finds nothing new, so it misses no update.
extension Lane {
  /// Runs one turn, on the context: makes passes until all observations have seen everything. If the turn takes too
  /// long, it ends earlier, and other work on the context comes next.
  func runTurn() {
    guard let plan = turnBegan() else { return }
    var budget = wasTurnOver ? TurnBudget(at: executor.now) : TurnBudget()
    var next: LaneState.PassPlan? = plan
    while let plan = next {
      let result = deliver(plan, &budget)
      wasTurnOver = budget.isOver
      next = end(result, mayGoOn: budget.mayGoOn)
    }
  }

  /// Runs a turn on the thread of the caller, which is on the context already. The turn lasts until all observations
  /// have received everything that was published before the turn began. Inside one of the lane's handlers this function
  /// does nothing: the turn that is under way continues after the handler.
  @usableFromInline
  package func runTurnOnCaller() {
    guard let plan = turnBegan() else { return }
    let owed = pass.version
    var budget = TurnBudget.endless
    var next: LaneState.PassPlan? = plan
    while let plan = next {
      let result = deliver(plan, &budget)
      next = end(result, mayGoOn: result.completed.map { $0 < owed } ?? true)
    }
  }

  // Begins a turn. Returns nil if the lane is parked or closed, because the job came too late, or if the caller is
  // inside one of the lane's handlers.
  private func turnBegan() -> LaneState.PassPlan? {
    cell.read(for: .reading) { turnBeganWhileLocked($0) }
  }

  private func turnBeganWhileLocked(_ roster: Roster) -> LaneState.PassPlan? {
    if state.isRunning || state.isClosed || roster.isParked(self) { return nil }
    let plan = state.turnBegan(roster)
    cell.fillWhileLocked(pass, roster)
    return plan
  }

  /// Makes the first call of a new observation. The caller is on the context, has registered the observation, and
  /// passes a snapshot of its own. `isTurn` is the result of `callersTurnBeganWhileLocked`.
  func makeFirstCall(of observation: Observation, in pass: AnyPassSnapshot, isTurn: Bool) {
    var hasEnded = false
    if case .ended = observation.perform(observation, .deliver(pass, limit: TurnBudget.largestQuantum)) {
      hasEnded = true
    }
    if isTurn {
      _ = end(LaneState.PassResult(completed: nil, ended: hasEnded ? [observation] : []), mayGoOn: false)
    } else if hasEnded {
      // The pass that is under way does not know this observation. So the observation is removed like an observation
      // that is cancelled during the pass.
      cancelled(observation)
    }
  }

  // Makes one pass: delivers to one observation after another, and stops early if the turn is over.
  private func deliver(_ plan: LaneState.PassPlan, _ budget: inout TurnBudget) -> LaneState.PassResult {
    var result = LaneState.PassResult(completed: pass.version, sweeps: plan.sweeps)
    var link = plan.first
    while let current = link {
      if isRemovalDue.load(ordering: .relaxed) {
        removeEnded(&result, next: &link)
        continue
      }
      if budget.isClockDue {
        budget.clockRead(at: executor.now)
        if budget.isOver {
          result.rest = current
          break
        }
      }
      current.withObservation { observation in
        // While the lane runs, only the lane changes these links.
        link = observation.next
        if plan.sweeps, case .ended = observation.perform(observation, .checkOwner) {
          result.ended.append(observation)
          budget.spent(calls: 1)
          return
        }
        switch observation.perform(observation, .deliver(pass, limit: budget.quantum)) {
        case .caughtUp(let calls): budget.spent(calls: calls)
        case .behind(let version):
          result.hasLaggards = true
          result.completed = result.completed.map { min($0, version) }
          budget.spent(calls: budget.quantum)
        case .ended:
          result.ended.append(observation)
          budget.spent(calls: 1)
        }
      }
    }
    cell.clear(pass)
    return result
  }

  // Ends a pass. Returns the next pass, or nil if the turn is over.
  private func end(_ result: LaneState.PassResult, mayGoOn: Bool) -> LaneState.PassPlan? {
    let outcome = cell.read(for: .reading) { passEndedWhileLocked(result, mayGoOn: mayGoOn, &$0) }
    // The rest of this function runs without the lock, on the context: it releases captures and resumes waiting tasks.
    outcome.gone.forEach { $0.finishRemoval() }
    outcome.resumed.forEach { $0.resume() }
    switch outcome.step {
    case .again(let plan): return plan
    case .yield: requestTurn()
    case .park, .close: break
    }
    return nil
  }

  private func passEndedWhileLocked(
    _ result: LaneState.PassResult,
    mayGoOn: Bool,
    _ roster: inout Roster
  ) -> LaneState.PassOutcome {
    isRemovalDue.store(false, ordering: .relaxed)
    roster.readersLeft(result.ended.count)
    let outcome = state.passEnded(result, mayGoOn: mayGoOn, roster)
    outcome.gone.forEach { $0.leaveWhileLocked() }
    switch outcome.step {
    case .again: cell.fillWhileLocked(pass, roster)
    case .yield: break
    case .park: roster.parked(self)
    case .close: roster.delivererLeft(self, key)
    }
    return outcome
  }

  // Removes the observations that have ended. Called on the context, between two calls of handlers.
  private func removeEnded(_ result: inout LaneState.PassResult, next: inout ObservationLink?) {
    let gone = cell.read(for: .leaving) { callEndedWhileLocked(result.ended, next: &next, &$0) }
    result.ended = []
    gone.forEach { $0.finishRemoval() }
  }

  private func callEndedWhileLocked(
    _ ended: [Observation],
    next: inout ObservationLink?,
    _ roster: inout Roster
  ) -> [Observation] {
    isRemovalDue.store(false, ordering: .relaxed)
    roster.readersLeft(ended.count)
    let gone = state.callEnded(ended, next: &next)
    gone.forEach { $0.leaveWhileLocked() }
    return gone
  }

  /// An observation has ended, and a task waits for its removal. A turn that is under way removes the observation after
  /// the call that is running.
  func removalWanted() {
    isRemovalDue.store(true, ordering: .relaxed)
  }

  // A custom context may run the requested turn at once, inside this method, and that turn may request another turn. So
  // only the outermost call of this method makes the requests. Otherwise each turn would run inside the turn before,
  // until the stack overflows.
  private func requestTurn() {
    guard turnsOwed.add(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
    repeat { wake() } while turnsOwed.subtract(1, ordering: .acquiringAndReleasing).newValue > 0
  }
}

// MARK: - Coming and going

// The problem: after `cancel()` no call may begin. After `cancelAndWait()` no call may be running, and the library must
// have released everything that the handler captured. Captures that are confined to an isolation may be released only
// on that isolation. The thread that cancels cannot unlink an observation that a turn may be visiting. This thread must
// not wait for a context either, because a context may be busy for a long time.
//
// So an observation ends in one step and is removed in another. Any thread may end the observation, by one exchange of
// the observation's status. The turn checks this status before each call. To remove an observation means to unlink it,
// to give up its position and to release its captures. The thread that cancels an observation also removes it, if the
// captures are not confined and no turn can see the observation. Otherwise the lane removes the observation. If a turn
// is under way, that turn removes the observation after the call that is running. If no turn is under way, the thread
// wakes the lane, and the next turn removes the observation.
extension Lane {
  /// `observation` begins. Returns true if the caller must wake the lane after the lock.
  func joinedWhileLocked(_ observation: Observation, _ roster: inout Roster) -> Bool {
    state.joined(observation)
    return roster.unparked(self)
  }

  /// `observation` begins, and the caller that registers it is about to call the handler for the first time. Returns
  /// true if that call is a turn of the lane, and false if the caller is inside one of the lane's handlers.
  func callersTurnBeganWhileLocked(_ observation: Observation, _ roster: inout Roster) -> Bool {
    _ = roster.unparked(self)
    return state.callersTurnBegan(observation)
  }

  /// The caller has cancelled `observation`.
  func cancelled(_ observation: Observation) {
    let outcome = cell.read(for: .leaving) { cancelledWhileLocked(observation, &$0) }
    if outcome.mustRemove { observation.finishRemoval() }
    outcome.resumed.forEach { $0.resume() }
    if outcome.mustWake { wake() }
  }

  private func cancelledWhileLocked(
    _ observation: Observation,
    _ roster: inout Roster
  ) -> LaneState.CancelOutcome {
    var outcome = LaneState.CancelOutcome()
    // The context is gone, and `abandon` has removed the observation together with the lane's other observations.
    if state.isClosed { return outcome }
    roster.readersLeft()
    outcome.mustRemove = state.cancelled(observation)
    // Perhaps a task waits only for this observation, and the context will not run the lane for a long time.
    outcome.resumed = state.settledByCancellation(roster)
    guard outcome.mustRemove else {
      isRemovalDue.store(true, ordering: .relaxed)
      outcome.mustWake = roster.unparked(self)
      return outcome
    }
    observation.leaveWhileLocked()
    if state.count == 0, roster.unparked(self) {
      state.closed()
      roster.delivererLeft(self, key)
    }
    return outcome
  }

  /// Ends the observations that are left. The context is gone, or has dropped the lane's turn, so it never runs the
  /// lane again.
  func abandon(as outcome: UInt8 = Observation.Status.cancelled) {
    let left = cell.read(for: .leaving) { abandonedWhileLocked(&$0) }
    for observation in left.gone {
      _ = observation.end(as: outcome)
      observation.finishRemoval()
    }
    left.resumed.forEach { $0.resume() }
  }

  private func abandonedWhileLocked(_ roster: inout Roster) -> LaneState.AbandonOutcome {
    if state.isRunning || state.isClosed || roster.isParked(self) { return LaneState.AbandonOutcome() }
    roster.readersLeft(state.count)
    roster.delivererLeft(self, key)
    let outcome = state.abandoned()
    outcome.gone.forEach { $0.leaveWhileLocked() }
    return outcome
  }
}

extension Lane {
  /// The number of `settledCalls` that wait. For tests.
  package var settledCallCountWhileLocked: Int { state.settledCallCount }
}
