internal import Synchronization

/// Serves the observations of one cell on one delivery context. The shell around `LaneState`.
///
/// The cell's roster holds the lane while it has observations, and the lane holds the cell's memory; when the
/// last observation has ended, they part.
// @unchecked: `state` is guarded by the cell's lock, `round` is the run's own.
@usableFromInline
package final class Lane: Waiter, @unchecked Sendable {
  private let cell: AnyCell
  private let key: ContextKey
  private let executor: LaneExecutor

  // Guarded by the cell's lock, so it need not be checked for overlapping accesses.
  @exclusivity(unchecked) private var storedState: LaneState

  private var state: LaneState {
    get { unsafe storedState }
    _modify { yield unsafe &storedState }
  }

  // The run's own.
  private let round: AnyRound

  // Somebody waits for the running call to end.
  private let attention = Atomic(false)

  // How often a turn that was given up is still to be asked for again.
  private let turnsOwed = Atomic(0)

  init(_ context: DeliveryContext, of cell: AnyCell, version: UInt64) {
    self.cell = cell
    key = context.key
    executor = context.executor
    unsafe storedState = LaneState(version: version)
    round = cell.makeRound()
    super.init()
  }

  package override func wake() {
    executor.enqueue(self, host: cell.host)
  }

  /// Whether there is a context to run on.
  var hasContext: Bool { executor.isAlive }
}

// MARK: - Running

extension Lane {
  /// Serves everybody, in passes, until nobody has anything left to see, or others on the context deserve a
  /// turn. On the context.
  func run() {
    run(work: 4096, atLeastOnce: false)
  }

  /// Serves everybody at once, for who is on the context already, until all that is published has been handed
  /// out. Inside one of the lane's handlers this does nothing: the run that is under way will see to it.
  @usableFromInline
  package func serveHost() {
    run(work: 0, atLeastOnce: true)
  }

  private func run(work: Int, atLeastOnce: Bool) {
    let begun = cell.locked(for: .looking) { roster -> LaneState.Pass? in
      // A job that came too late, or a call inside a handler.
      if state.isRunning || state.isClosed || roster.idle.contains(self) { return nil }
      let pass = state.runBegan(roster)
      cell.begin(round, roster)
      return pass
    }
    guard var pass = begun else { return }
    let owed = atLeastOnce ? round.version : 0
    var work = work
    while true {
      let result = visit(pass, &work)
      let isOwed = result.completed.map { $0 < owed } ?? true
      guard let next = end(result, mayGoOn: isOwed || work > 0) else { return }
      pass = next
    }
  }

  /// The first call of a new observation, made by who registers it, on the context, with a round of its own.
  /// `runs`: what `serviceBegan` has returned.
  func serve(_ observation: Observation, in round: AnyRound, runs: Bool) {
    var hasEnded = false
    if case .ended = observation.perform(observation, .visit(round)) { hasEnded = true }
    if runs {
      _ = end(LaneState.PassResult(completed: nil, ended: hasEnded ? [observation] : []), mayGoOn: false)
    } else if hasEnded {
      // The pass that is under way does not know of it: it is buried as one that was cancelled meanwhile.
      cancelled(observation)
    }
  }

  private func visit(_ pass: LaneState.Pass, _ work: inout Int) -> LaneState.PassResult {
    var result = LaneState.PassResult(completed: round.version)
    var link = pass.first
    while let current = link {
      current.withObservation { observation in
        // While the lane runs nobody else changes these links.
        link = observation.next
        if pass.sweeps, case .ended = observation.perform(observation, .look) {
          result.ended.append(observation)
          return
        }
        work -= 1
        switch observation.perform(observation, .visit(round)) {
        case .caughtUp: break
        case .behind(let version):
          work -= Observation.Visit.quantum
          result.hasLaggards = true
          result.completed = result.completed.map { min($0, version) }
        case .ended: result.ended.append(observation)
        }
      }
      if attention.load(ordering: .relaxed) { answerThoseWhoAwaitCalls() }
    }
    cell.end(round)
    return result
  }

  // Nil if the run is over.
  private func end(_ result: LaneState.PassResult, mayGoOn: Bool) -> LaneState.Pass? {
    let (step, gone, resumed) = cell.locked(for: .looking) { roster in
      attention.store(false, ordering: .relaxed)
      roster.readers -= result.ended.count
      let outcome = state.passEnded(result, mayGoOn: mayGoOn, roster)
      outcome.gone.forEach { $0.leave(roster) }
      switch outcome.step {
      case .again: cell.begin(round, roster)
      case .yield: break
      case .park: roster.idle.append(self)
      case .close: roster.remove(self, key)
      }
      return outcome
    }
    // From here on without the lock, on the context: captures are released, waiters resumed.
    gone.forEach { $0.buried() }
    resumed.forEach { $0.resume() }
    switch step {
    case .again(let pass): return pass
    case .yield: askForAnotherTurn()
    case .park, .close: break
    }
    return nil
  }

  // A custom context may run its work at once, and that run may give up its turn too. Then it is the first who
  // asks again: otherwise each turn would be made inside the one before, until the stack ends.
  private func askForAnotherTurn() {
    guard turnsOwed.add(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
    repeat { wake() } while turnsOwed.subtract(1, ordering: .acquiringAndReleasing).newValue > 0
  }
}

// MARK: - Coming and going

extension Lane {
  /// Under the cell's lock: `observation` begins. True if the lane must be woken then.
  func joined(_ observation: Observation, _ roster: inout Roster) -> Bool {
    state.joined(observation)
    return roster.idle.remove(self)
  }

  /// Under the cell's lock: `observation` begins, and who registers it is about to serve it. True if the lane runs for
  /// that, and false inside one of its handlers.
  func serviceBegan(_ observation: Observation, _ roster: inout Roster) -> Bool {
    _ = roster.idle.remove(self)
    return state.serviceBegan(observation)
  }

  /// `observation` was cancelled, by who calls this.
  func cancelled(_ observation: Observation) {
    let (isMine, mustWake, resumed) = cell.locked(for: .leaving) { roster -> (Bool, Bool, [Resumption]) in
      // Its context is gone: it was buried with the rest.
      if state.isClosed { return (false, false, []) }
      roster.readers -= 1
      let isMine = state.cancelled(observation)
      // Somebody may have waited for this one alone, on a context that will not run it for a long time.
      let resumed = state.settledByCancellation(roster)
      guard isMine else { return (false, roster.idle.remove(self), resumed) }
      observation.leave(roster)
      if state.count == 0, roster.idle.remove(self) {
        state.closed()
        roster.remove(self, key)
      }
      return (true, false, resumed)
    }
    if isMine { observation.buried() }
    resumed.forEach { $0.resume() }
    if mustWake { wake() }
  }

  /// The context is gone, or has dropped the work: nothing runs there any more. Whoever is left ends here.
  func abandon(as outcome: UInt8 = Observation.Status.cancelled) {
    let (gone, resumed) = cell.locked(for: .leaving) { roster -> ([Observation], [Resumption]) in
      if state.isRunning || state.isClosed || roster.idle.contains(self) { return ([], []) }
      roster.readers -= state.count
      roster.remove(self, key)
      let outcome = state.abandoned()
      outcome.gone.forEach { $0.leave(roster) }
      return outcome
    }
    for observation in gone {
      _ = observation.end(as: outcome)
      observation.buried()
    }
    resumed.forEach { $0.resume() }
  }

  /// Under the cell's lock: looks for dead owners soon. True if the lane must be woken for it.
  func sweepWanted(_ roster: inout Roster) -> Bool {
    guard state.sweepWanted(hasOwner: executor.hasOwner) else { return false }
    return roster.idle.remove(self)
  }
}

// MARK: - Waiting for it

extension Lane {
  /// Returns when no call is running that began before.
  func callsEnd() async {
    await Resumption.suspend { resumption in
      cell.locked { _ in
        guard state.isRunning else { return false }
        state.awaitsCalls(resumption)
        attention.store(true, ordering: .relaxed)
        return true
      }
    }
  }

  private func answerThoseWhoAwaitCalls() {
    let resumed = cell.locked { _ in
      attention.store(false, ordering: .relaxed)
      return state.callsEnded()
    }
    resumed.forEach { $0.resume() }
  }

  /// Under the cell's lock. False if there is nothing to wait for.
  func awaitsSettlement(_ settlement: Settlement, _ roster: Roster) -> Bool {
    if state.count == 0 || roster.idle.contains(self) { return false }
    state.awaitsSettlement(settlement, roster)
    return true
  }
}

extension Lane {
  /// Under the cell's lock: how many are noted as waiting in `settled`. For tests.
  package var settlerCount: Int { state.settlerCount }
}

extension Roster {
  /// A lane has nobody left.
  fileprivate mutating func remove(_ lane: Lane, _ key: ContextKey) {
    // An actor may have died and another been born at its address: then this is another lane.
    if lanes[key] === lane { lanes[key] = nil }
    if hostLane === lane { hostLane = nil }
  }
}
