internal import Synchronization

/// Serves the observations of one cell on one delivery context. The shell around `LaneState`.
///
/// The cell's table holds the lane while it has observations, and the lane holds the cell's memory; whoever
/// ends first, `close` parts them.
// @unchecked: `state` is guarded by the cell's lock.
@usableFromInline
package final class Lane<Value: Sendable>: LaneJob, @unchecked Sendable {
  private let cell: Cell<Value>
  private let key: ContextKey

  // Guarded by the cell's lock.
  private var state: LaneState<Value>

  // Somebody waits for the running call to end.
  private let attention = Atomic(false)

  /// How much one run does before others on the context get their turn.
  private static var workPerRun: Int { 4096 }

  init(_ context: DeliveryContext, of cell: Cell<Value>, version: UInt64) {
    self.cell = cell
    key = context.key
    state = LaneState(version: version)
    super.init(executor: context.executor)
  }

  override var host: (any Actor)? { cell.host }

  override func run() {
    run(atLeastOnce: false)
  }

  /// Serves everybody at once, for who is on the context already, until all that is published has been handed
  /// out. Inside one of the lane's handlers this does nothing: the run that is under way will see to it.
  package func serveHost() {
    run(atLeastOnce: true)
  }

  override func abandon() {
    endEverybody()
  }
}

// MARK: - Running

extension Lane {
  // Serves everybody, in passes, until nobody has anything left to see; or until others deserve a turn, but then
  // at least, if so asked, until everybody has seen what was there at the beginning.
  private func run(atLeastOnce: Bool) {
    let begun = cell.locked { cell -> LaneState<Value>.Round? in
      let isOff = state.isRunning || state.isClosed || cell.idle.contains(self)
      return isOff ? nil : state.runBegan(cell)
    }
    guard var round = begun else { return }
    let owed = atLeastOnce ? round.feed.version : 0
    var work = atLeastOnce ? 0 : Self.workPerRun
    while true {
      let pass = visit(in: &round)
      work -= pass.work
      guard let next = end(pass, mayGoOn: pass.completed < owed || work > 0) else { return }
      round = next
    }
  }

  /// The first call of a new observation, made by who registers it, on the context.
  func serve(_ observation: Observation<Value>, in feed: inout Feed<Value>) {
    let isNested = cell.locked { cell in
      // Inside one of this lane's handlers: the run that is under way goes on afterwards.
      if state.isRunning { return true }
      _ = cell.idle.remove(self)
      state.serviceBegan()
      return false
    }
    var pass = Pass(completed: 0)
    if case .ended = observation.visit(observation, &feed) { pass.ended = [observation] }
    if !isNested { _ = end(pass, mayGoOn: false) }
  }

  /// What one pass came to.
  private struct Pass {
    /// Everybody has seen this version, or has ended.
    var completed: UInt64
    var ended: [Observation<Value>] = []
    var hasLaggards = false
    var work = 0
  }

  private func visit(in round: inout LaneState<Value>.Round) -> Pass {
    var pass = Pass(completed: round.feed.version)
    var link = round.first
    while let current = link {
      current.withObservation { observation in
        // While the lane runs nobody else changes these links.
        link = observation.next
        if round.sweeps, observation.isGone(), observation.end(as: Observation<Value>.Status.cancelled) {
          pass.ended.append(observation)
          return
        }
        pass.work += 1
        switch observation.visit(observation, &round.feed) {
        case .caughtUp: break
        case .behind(let version):
          pass.work += 64
          pass.hasLaggards = true
          pass.completed = min(pass.completed, version)
        case .ended: pass.ended.append(observation)
        }
      }
      if attention.load(ordering: .relaxed) { answerThoseWhoAwaitCalls() }
    }
    return pass
  }

  // Nil if the run is over.
  private func end(_ pass: Pass, mayGoOn: Bool) -> LaneState<Value>.Round? {
    let (step, gone, spills, resumed) = cell.locked { cell in
      let (step, gone) = state.passEnded(
        pass.ended,
        laggards: pass.hasLaggards,
        mayGoOn: mayGoOn,
        cell: cell
      )
      cell.readers -= pass.ended.count
      let spills = gone.map { $0.leave(&cell) }
      attention.store(false, ordering: .relaxed)
      var resumed = state.callsEnded()
      switch step {
      case .again: resumed += state.settled(through: pass.completed)
      case .yield: resumed += state.settled(through: pass.completed)
      case .park:
        cell.idle.append(self)
        resumed += state.settled(through: .max)
      case .close:
        cell.remove(self, key)
        resumed += state.settled(through: .max)
      }
      return (step, gone, spills, resumed)
    }
    // From here on without the lock, on the context: captures are released, waiters resumed.
    gone.forEach { $0.buried() }
    _ = consume spills
    resumed.forEach { $0.resume() }
    switch step {
    case .again(let round): return round
    case .yield: wake()
    case .park, .close: break
    }
    return nil
  }
}

// MARK: - Coming and going

extension Lane {
  /// Under the cell's lock: `observation` begins. True if the lane must be woken then.
  func joined(_ observation: Observation<Value>, isServed: Bool, cell: inout CellState<Value>) -> Bool {
    state.joined(observation, isServed: isServed)
    if isServed { return false }
    return cell.idle.remove(self)
  }

  /// Whether there is a context to run on.
  var hasContext: Bool {
    if case .actor(let weakly) = executor { weakly.actor != nil } else { true }
  }

  /// `observation` was cancelled, by who calls this.
  func cancelled(_ observation: Observation<Value>) {
    let (isMine, spill, mustWake) = cell.locked { cell in
      if state.isClosed { return (false, Window<Value>.Spill(), false) }
      cell.readers -= 1
      if state.isRunning { attention.store(true, ordering: .relaxed) }
      guard state.cancelled(observation) else {
        return (false, Window<Value>.Spill(), cell.idle.remove(self))
      }
      if state.count == 0, cell.idle.remove(self) {
        state.closed()
        cell.remove(self, key)
      }
      return (true, observation.leave(&cell), false)
    }
    _ = consume spill
    if isMine { observation.buried() }
    if mustWake { wake() }
  }

  /// The context is gone: whoever is left ends here.
  private func endEverybody() {
    let (gone, spills, resumed) = cell.locked { cell in
      if state.isClosed || state.isRunning || cell.idle.contains(self) {
        return ([Observation<Value>](), [Window<Value>.Spill](), [Resumption]())
      }
      cell.readers -= state.count
      let gone = state.abandoned()
      cell.remove(self, key)
      let spills = gone.map { $0.leave(&cell) }
      return (gone, spills, state.callsEnded() + state.settled(through: .max))
    }
    for observation in gone {
      _ = observation.end(as: Observation<Value>.Status.cancelled)
      observation.buried()
    }
    _ = consume spills
    resumed.forEach { $0.resume() }
  }

  /// Under the cell's lock: looks for dead owners soon. True if the lane must be woken for it.
  func sweepWanted(cell: inout CellState<Value>) -> Bool {
    state.sweepWanted()
    return cell.idle.remove(self)
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
  func awaitsSettlement(_ settlement: Settlement, cell: CellState<Value>) -> Bool {
    if cell.idle.contains(self) { return false }
    state.awaitsSettlement(settlement, of: cell.version)
    return true
  }
}

extension CellState {
  /// A lane has nobody left.
  mutating func remove(_ lane: Lane<Value>, _ key: ContextKey) {
    // An actor may have died and another been born at its address: then this is another lane.
    if lanes[key] === lane { lanes[key] = nil }
    if ownLane === lane { ownLane = nil }
  }
}
