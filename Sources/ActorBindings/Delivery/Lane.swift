internal import Synchronization

/// Delivers to the observations of one cell on one delivery context. The shell around `LaneState`.
///
/// The cell's roster holds the lane while the lane has observations, and the lane holds the cell's memory. When the
/// last observation has ended, the roster releases the lane.
///
/// There is one subclass for each kind of context. It says how the lane gets onto the context.
// @unchecked: the cell's lock guards `state`; only the turn accesses `pass`.
@usableFromInline
package class Lane: Deliverer, @unchecked Sendable {
  let cell: AnyCell
  let key: ContextKey

  // Guarded by the cell's lock, so Swift need not check for overlapping accesses.
  @exclusivity(unchecked) private var storedState: LaneState

  var state: LaneState {
    get { unsafe storedState }
    _modify { yield unsafe &storedState }
  }

  // Only the turn accesses this.
  let pass: AnyPassSnapshot

  // True if the lane must remove ended observations after the call that is running.
  let isRemovalDue = Atomic(false)

  // Only the turn accesses this. The number of updates since the last pass began, if an observation must receive them
  // all.
  var lagOfTurn: UInt64 = 0

  // Only the turn accesses this. True if the last turn ended because its time had run out.
  var wasTurnOver = false

  // Guarded by the cell's lock. Whether the context may run the lane on the stack of a thread that wakes it, as far as
  // is known: a relay offers its turn to such a lane, until the lane has not run at once.
  private var takesOffers = false

  let requests = TurnRequests()
  let earlyParking = EarlyParking()

  init(_ key: ContextKey, of cell: AnyCell, version: UInt64) {
    self.cell = cell
    self.key = key
    unsafe storedState = LaneState(version: version)
    pass = cell.makePassSnapshot()
    super.init()
    takesOffers = mayRunAtOnce
  }

  /// The context in words.
  package var place: String { preconditionFailure("\(type(of: self)) does not describe its context") }

  /// Whether the context still exists.
  var hasContext: Bool { true }

  /// Whether an observation may outlive the context on which its handler runs.
  var contextHasOwner: Bool { false }

  /// Whether an enqueued lane may run at once, on the stack of the caller.
  var mayRunAtOnce: Bool { true }

  /// The current time, in nanoseconds, for measuring the length of a turn.
  var now: UInt64 { Self.monotonicTime() }

  /// Makes the context run a turn of the lane, or abandons the lane if its context is gone. Never called under a lock.
  func enqueue() {
    preconditionFailure("\(type(of: self)) does not say how it gets onto its context")
  }

  package final override func wake() {
    if earlyParking.contended() { return }
    if mayRunAtOnce { NestedWakeUps.perform(self) } else { enqueue() }
  }

  package final override func touchedObjectsWhileLocked() -> (first: AnyObject?, second: AnyObject?) {
    (pass, state.residents.first?.withObservation { $0 })
  }

  final override func sweep(in cell: AnyCell) {
    let mustWake = cell.locked { takeForSweepWhileLocked(&$0) }
    if mustWake { wake() }
  }

  private func takeForSweepWhileLocked(_ roster: inout Roster) -> Bool {
    guard state.sweepWanted(hasOwner: contextHasOwner) else { return false }
    return !isRunningWhileLocked() && roster.unparked(self)
  }

  final override func settledCallJoinedWhileLocked(_ call: SettledCall, _ roster: Roster) -> Bool {
    if state.count == 0 || (!isRunningWhileLocked() && roster.isParked(self)) { return false }
    state.settledCallJoined(call, roster)
    return true
  }

  /// Whether a relay may offer a turn to the lane (see `AnyRelay`).
  var takesOffersWhileLocked: Bool { takesOffers }

  /// A relay has offered its turn to the lane, and the context has not run the lane at once.
  func offerWasRefusedWhileLocked() {
    takesOffers = false
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
    let isRunning = isRunningWhileLocked()
    state.joined(observation)
    return !isRunning && roster.unparked(self)
  }

  /// `observation` begins, and the caller that registers it is about to call the handler for the first time. Returns
  /// true if that call is a turn of the lane, and false if the caller is inside one of the lane's handlers.
  func callersTurnBeganWhileLocked(_ observation: Observation, _ roster: inout Roster) -> Bool {
    if !isRunningWhileLocked() { _ = roster.unparked(self) }
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
    let isRunning = isRunningWhileLocked()
    roster.readersLeft()
    outcome.mustRemove = state.cancelled(observation)
    // Perhaps a task waits only for this observation, and the context will not run the lane for a long time.
    outcome.resumed = state.settledByCancellation(roster)
    guard outcome.mustRemove else {
      isRemovalDue.store(true, ordering: .relaxed)
      outcome.mustWake = !isRunning && roster.unparked(self)
      return outcome
    }
    observation.leaveWhileLocked()
    if state.count == 0, !isRunning, roster.unparked(self) {
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
    if state.isClosed || isRunningWhileLocked() || roster.isParked(self) { return LaneState.AbandonOutcome() }
    roster.readersLeft(state.count)
    roster.delivererLeft(self, key)
    let outcome = state.abandoned()
    outcome.gone.forEach { $0.leaveWhileLocked() }
    return outcome
  }

  /// The number of `settledCalls` that wait. For tests.
  package var settledCallCountWhileLocked: Int { state.settledCallCount }
}
