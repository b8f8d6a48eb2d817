internal import Synchronization

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
    if lagOfTurn > EventHook.backlogLimit {
      EventHook.emit(.contextFellBehind(cell.label, context: place, updates: lagOfTurn))
    }
    var budget = wasTurnOver ? TurnBudget(at: now) : TurnBudget()
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
    cell.read(for: .reading) { turnBeganWhileLocked(&$0) }
  }

  private func turnBeganWhileLocked(_ roster: inout Roster) -> LaneState.PassPlan? {
    if state.isClosed || isRunningWhileLocked() || roster.isParked(self) { return nil }
    lagOfTurn = state.hasUnbounded ? roster.version &- state.delivered : 0
    let plan = state.turnBegan(roster)
    cell.fillWhileLocked(pass, roster)
    parkEarlyWhileLocked(&roster)
    return plan
  }

  /// Makes the first call of a new observation. The caller is on the context, has registered the observation, and
  /// passes a snapshot of its own. `isTurn` is the result of `callersTurnBeganWhileLocked`.
  func makeFirstCall(of observation: Observation, in pass: AnyPassSnapshot, isTurn: Bool) {
    var hasEnded = false
    if case .ended = deliver(pass, to: observation, limit: TurnBudget.largestQuantum) { hasEnded = true }
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
        budget.clockRead(at: now)
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
        switch deliver(pass, to: observation, limit: budget.quantum) {
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

  // Delivers to one observation, and reports it if that takes too long.
  @inline(__always)
  private func deliver(
    _ pass: AnyPassSnapshot,
    to observation: Observation,
    limit: UInt8
  ) -> Observation.DeliveryOutcome {
    let longest = EventHook.slowHandlerLimit
    if longest == .max { return observation.perform(observation, .deliver(pass, limit: limit)) }
    let start = now
    let outcome = observation.perform(observation, .deliver(pass, limit: limit))
    let time = now &- start
    if time > longest {
      EventHook.emit(.handlerWasSlow(observation.label(in: self), .nanoseconds(Int64(clamping: time))))
    }
    return outcome
  }

  // Ends a pass. Returns the next pass, or nil if the turn is over.
  private func end(_ result: LaneState.PassResult, mayGoOn: Bool) -> LaneState.PassPlan? {
    if result.hasReachedAll, earlyParking.endedUncontended() { return nil }
    let outcome = cell.read(for: .reading) { passEndedWhileLocked(result, mayGoOn: mayGoOn, &$0) }
    // The rest of this function runs without the lock, on the context: it releases captures and resumes waiting tasks.
    outcome.gone.forEach { $0.finishRemoval() }
    outcome.resumed.forEach { $0.resume() }
    switch outcome.step {
    case .again(let plan): return plan
    case .yield: requests.request(wake)
    case .park, .close: break
    }
    return nil
  }

  private func passEndedWhileLocked(
    _ result: LaneState.PassResult,
    mayGoOn: Bool,
    _ roster: inout Roster
  ) -> LaneState.PassOutcome {
    if isRunningWhileLocked() { _ = roster.unparked(self) }
    isRemovalDue.store(false, ordering: .relaxed)
    roster.readersLeft(result.ended.count)
    let outcome = state.passEnded(result, mayGoOn: mayGoOn, roster)
    outcome.gone.forEach { $0.leaveWhileLocked() }
    earlyParking.endedWhileLocked()
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
    // The observations that leave may be the last: then the end of the turn must close the lane.
    _ = isRunningWhileLocked()
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
}

// MARK: - Parking early

extension Lane {
  // Parks the lane at the beginning of a turn, if the turn may end without the lock. A lane of a cell that readers bring
  // up to date may park only in a step that finds nothing new in the cells that this cell follows.
  private func parkEarlyWhileLocked(_ roster: inout Roster) {
    let mayPark = unsafe cell.uncountedUpstream?._withUnsafeGuaranteedRef { upstream in
      if upstream.isPulled, !upstream.mayParkWhileLocked() { return false }
      return true
    }
    guard mayPark ?? true, state.parksEarly() else { return }
    roster.parked(self)
    earlyParking.parkedWhileLocked()
  }

  // Whether a turn is under way. If so, the turn will end under the lock.
  func isRunningWhileLocked() -> Bool {
    if !state.isRunning, earlyParking.contended() { state.turnContended() }
    return state.isRunning
  }
}
