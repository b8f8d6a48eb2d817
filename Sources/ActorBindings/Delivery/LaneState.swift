/// Decides which observations a pass visits, and what the lane does next. A pure state machine.
///
/// ### States
/// - *parked*: all observations have received everything. The lane is in the cell's `WaitList`.
/// - *woken*: a thread has taken the lane out of the `WaitList`, and the lane is on its way to its context.
/// - *running*: the lane is on its context, and makes passes. Only the lane touches `residents`, the list of its
///   observations. Observations that begin meanwhile wait in `arrivals` for the end of the pass. Observations that are
///   cancelled meanwhile wait in `departed` for the end of the call that is running.
/// - *closed*: the lane has no observations, and the cell no longer holds it.
///
/// A pass may be *interrupted*: the lane's turn is over, but the pass has not visited all observations. The next pass
/// begins with the first observation that was not visited.
///
/// A *laggard* is an observation that may have more to see after the pass: the delivery to it has stopped at the limit
/// for one visit.
///
/// The lane of the cell's own isolation may also be *held*: `update` takes the lane out of the `WaitList` in the step
/// in which it writes, and afterwards runs a turn of the lane. In between, no other thread wakes the lane, and no job
/// is under way for the lane.
///
/// If the last turn was not disturbed, the lane *parks early*: it parks in the step in which its turn begins. While no
/// other thread comes, its state is *parked*, though a turn is under way, and the turn ends without an event. As soon as
/// another thread needs to know, the state is *running* (see `EarlyParking`).
///
/// ### Transitions
/// | event | parked | woken | running |
/// |---|---|---|---|
/// | `joined` | woken | – | `arrivals` |
/// | `cancelled` | unlinked; if confined: `departed`, and the lane is woken | unlinked; if confined: `departed` | `departed`; unlinked if it is in `arrivals` and not confined |
/// | `closed`: the last observation was unlinked | closed | – (the job closes the lane) | – |
/// | `callEnded` | | | the observations that have ended or are in `departed` are unlinked |
/// | `turnBegan` | – (a job that came too late) | running | – (called inside one of the lane's handlers) |
/// | `callersTurnBegan` | running | running | `arrivals` (called inside one of the lane's handlers) |
/// | `parksEarly`, right after `turnBegan` | – | – | parked, unless the pass must end with an event |
/// | `turnContended`: another thread has come during such a turn | running | – | – |
/// | `passEnded` | | | another pass; woken, so that other work on the context comes first; parked; or closed |
/// | `sweepWanted`, if an owner may have died | woken | the next pass looks for dead owners | the same |
/// | `settledCallJoined` | – (the task has nothing to wait for) | the task waits | the task waits |
/// | `settledByCancellation` | nothing | resumes the waiting tasks, if the lane has nothing left to handle | nothing |
/// | `abandoned` | – | closed | – |
///
/// ### Behavior
/// A lane has one turn at a time, so it makes one call at a time. A pass visits all observations if there is an update,
/// if the cell has ended, if an observation has more to see, or if it is time to look for dead owners. Otherwise the
/// pass visits only the observations that have just joined. After an interruption the next pass continues where the
/// interrupted pass stopped. While the context exists, only a turn unlinks a confined observation: its captures may be
/// released only where the turn runs.
struct LaneState {
  private(set) var isRunning = false
  private(set) var isClosed = false
  private var isSweepDue = false
  private var hasLaggards = false
  // True if an observation may have an owner that can die without the lane noticing.
  private var hasOwners = false
  private var unboundedCount = 0
  // True if all observations except laggards know that the cell has ended.
  private var hasDeliveredEnd = false
  // True if the interrupted pass looked for dead owners.
  private var isSweepInterrupted = false
  // True if another thread came during the last turn. Then it probably comes again.
  private var isDisturbed = false

  /// The number of observations that have not ended.
  private(set) var count = 0
  private(set) var residents = ObservationList()
  // The first observation in `residents` that no pass has visited.
  private var firstUnvisited: ObservationLink?
  private(set) var arrivals = ObservationList()
  // Cancelled observations that the lane must remove.
  private var departed: [Observation] = []
  // Set when a pass begins. Once the pass is complete, all visited observations except laggards have received
  // everything up to this version.
  private(set) var delivered: UInt64
  /// All observations have received or skipped everything up to this version, except arrivals.
  private(set) var reached: UInt64
  private var interruption: Interruption?

  private var settledCalls = SettledCallQueue()

  init(version: UInt64) {
    (delivered, reached) = (version, version)
  }

  var hasUnbounded: Bool { unboundedCount > 0 }

  /// The observations to visit: `first` and all that follow it.
  struct PassPlan: Sendable {
    let first: ObservationLink?
    /// Whether the pass looks for dead owners.
    let sweeps: Bool
  }

  /// The part of an interrupted pass that is still to be made.
  private struct Interruption {
    /// The first observation that the pass did not visit. Nil if that observation was the last in the list, and has
    /// left since.
    var rest: ObservationLink?
    /// All observations before `rest` have seen this version.
    let completed: UInt64
  }

  /// What the lane does after a pass.
  enum Step: Sendable {
    case again(PassPlan)
    /// There is more to do, but other work on the context comes first.
    case yield
    case park
    case close
  }

  /// What follows a pass: the lane's next step, and what to do after the lock.
  struct PassOutcome: Sendable {
    let step: Step
    /// The observations that the lane must remove.
    let gone: [Observation]
    /// The tasks to resume after the lock: they have waited for deliveries of the lane.
    let resumed: [Resumption]
  }
}

extension LaneState {
  /// An observation begins.
  mutating func joined(_ observation: Observation) {
    enlist(observation)
    if !isRunning, firstUnvisited == nil { firstUnvisited = residents.last }
  }

  /// An observation begins, and the caller that registers it makes the first call of the handler, on the lane's
  /// context. Returns false if the caller is inside one of the lane's handlers: the turn that is under way continues
  /// afterwards.
  mutating func callersTurnBegan(_ observation: Observation) -> Bool {
    enlist(observation)
    if isRunning { return false }
    isRunning = true
    return true
  }

  private mutating func enlist(_ observation: Observation) {
    count += 1
    hasOwners = hasOwners || !observation.endsWithToken
    if observation.isUnbounded { unboundedCount += 1 }
    observation.isArrival = isRunning
    if isRunning { arrivals.append(observation) } else { residents.append(observation) }
  }

  /// An observation was cancelled. Returns true if this has unlinked the observation, and the canceller must complete
  /// the removal. Returns false if the lane will remove the observation.
  mutating func cancelled(_ observation: Observation) -> Bool {
    count -= 1
    if observation.isConfined || (isRunning && !observation.isArrival) {
      departed.append(observation)
      return false
    }
    unlink(observation)
    return true
  }

  /// A sweep asks the lane to look for dead owners. Returns false if no observation has an owner that may have died.
  mutating func sweepWanted(hasOwner: Bool) -> Bool {
    guard hasOwner || hasOwners else { return false }
    isSweepDue = true
    return true
  }

  /// The lane begins a turn, on its context. Returns the first pass.
  mutating func turnBegan(_ roster: Roster) -> PassPlan {
    precondition(!isRunning, "a lane began a turn within a turn")
    isRunning = true
    return nextPass(roster)
  }

  /// Whether the pass that begins may end without an event, if it reaches all observations and nothing else happens. A
  /// lane without observations closes at the end of its pass, which is an event.
  ///
  /// If other threads often come during a turn, early parking gains nothing, and costs these threads a wake-up.
  private var mayParkEarly: Bool {
    count > 0 && !isDisturbed && settledCalls.count == 0 && interruption == nil && departed.isEmpty
  }

  /// The first pass of a turn begins. Returns whether the lane parks now. Then the turn ends without an event, if nothing
  /// else happens during the pass.
  mutating func parksEarly() -> Bool {
    defer { isDisturbed = false }
    guard mayParkEarly else { return false }
    isRunning = false
    return true
  }

  /// Another thread has come during a turn that has parked the lane. The pass ends with `passEnded`.
  mutating func turnContended() {
    isRunning = true
    isDisturbed = true
  }

  /// The result of one pass.
  struct PassResult {
    /// The version that all visited observations have seen, except those that have ended. Nil if this was not a pass,
    /// but the first call of one observation.
    var completed: UInt64?
    /// The observations that have ended in the pass.
    var ended: [Observation] = []
    /// Whether some observations have more to see.
    var hasLaggards = false
    /// The first observation that the pass did not visit, because the turn was over; nil if it visited all.
    var rest: ObservationLink?
    /// Whether the pass looked for dead owners.
    var sweeps = false

    /// Whether the pass has visited all observations, and each of them is still there and has received everything.
    var hasReachedAll: Bool { completed != nil && ended.isEmpty && !hasLaggards && rest == nil }
  }

  /// A call has ended, and other calls of the same pass may follow. Returns the observations that the lane must remove.
  ///
  /// - Parameters:
  ///   - ended: Observations that have ended in this pass.
  ///   - next: The next observation to visit. If that observation has ended, `callEnded` sets `next` to the next
  ///     observation that stays.
  mutating func callEnded(_ ended: [Observation], next: inout ObservationLink?) -> [Observation] {
    count -= ended.count
    let gone = departed.isEmpty ? ended : ended + departed
    departed = []
    for observation in gone {
      if next?.leads(to: observation) == true { next = observation.next }
      unlink(observation)
    }
    return gone
  }

  /// A pass is over.
  mutating func passEnded(
    _ result: PassResult,
    mayGoOn: Bool,
    _ roster: Roster
  ) -> PassOutcome {
    var completed = result.completed
    if let new = completed {
      let all = min(new, interruption?.completed ?? new)
      interruption = result.rest.map { Interruption(rest: $0, completed: all) }
      isSweepInterrupted = interruption != nil && result.sweeps
      completed = interruption == nil ? all : nil
    }
    // This must come before `nextPass`. After `nextPass`, `handled` would also resume the tasks that wait for
    // newcomers, although no pass has visited these newcomers yet.
    var resumed = completed.map { settledCalls.handled(through: $0) } ?? []
    let newcomer = arrivals.first
    arrivals.forEach { $0.isArrival = false }
    residents.append(contentsOf: &arrivals)
    if firstUnvisited == nil { firstUnvisited = newcomer }
    var rest: ObservationLink?
    let gone = callEnded(result.ended, next: &rest)
    if result.hasLaggards { (hasLaggards, reached) = (true, min(delivered, result.completed ?? reached)) }

    if hasWork(roster), mayGoOn {
      isDisturbed = true
      return PassOutcome(step: .again(nextPass(roster)), gone: gone, resumed: resumed)
    }
    isRunning = false
    if hasWork(roster) { return PassOutcome(step: .yield, gone: gone, resumed: resumed) }
    resumed += settledCalls.removeAll()
    isClosed = count == 0
    let step = isClosed ? Step.close : .park
    return PassOutcome(step: step, gone: gone, resumed: resumed)
  }

  /// The last observation has left while the lane was parked.
  mutating func closed() {
    isClosed = true
  }

  /// The context is gone.
  mutating func abandoned() -> AbandonOutcome {
    isClosed = true
    count = 0
    departed = []
    firstUnvisited = nil
    interruption = nil
    unboundedCount = 0
    // The lane was not running, so `arrivals` is empty.
    return AbandonOutcome(gone: residents.removeAll(), resumed: settledCalls.removeAll())
  }

  private func hasWork(_ roster: Roster) -> Bool {
    guard count > 0 else { return false }
    return areAllDue(roster) || firstUnvisited != nil || interruption != nil
  }

  private func areAllDue(_ roster: Roster) -> Bool {
    roster.version != delivered || roster.isFinished != hasDeliveredEnd || hasLaggards || isSweepDue
  }

  private mutating func nextPass(_ roster: Roster) -> PassPlan {
    settledCalls.passBegan()
    // This pass visits the observations that the interrupted pass did not visit. They include all observations that
    // have joined since. The other observations have seen what the interrupted pass showed them. If the cell holds
    // something newer, the pass after this pass visits all observations again.
    if let interruption {
      let first = interruption.rest ?? firstUnvisited
      firstUnvisited = nil
      return PassPlan(first: first, sweeps: isSweepInterrupted)
    }
    let first = areAllDue(roster) ? residents.first : firstUnvisited
    let plan = PassPlan(first: first, sweeps: isSweepDue)
    firstUnvisited = nil
    if !hasLaggards { reached = delivered }
    delivered = roster.version
    hasDeliveredEnd = roster.isFinished
    hasLaggards = false
    isSweepDue = false
    return plan
  }

  private mutating func unlink(_ observation: Observation) {
    if observation.isUnbounded { unboundedCount -= 1 }
    if observation.isArrival { return arrivals.remove(observation) }
    if firstUnvisited?.leads(to: observation) == true { firstUnvisited = observation.next }
    if interruption?.rest?.leads(to: observation) == true { interruption?.rest = observation.next }
    residents.remove(observation)
  }
}

// MARK: - Tasks that wait for the lane

extension LaneState {
  /// The number of tasks that wait, including tasks that have given up but were not removed yet.
  var settledCallCount: Int { settledCalls.count }

  /// A task waits until all observations that the lane has at this moment have handled everything that was published so
  /// far.
  mutating func settledCallJoined(_ call: SettledCall, _ roster: Roster) {
    let hasNewcomers = firstUnvisited != nil || arrivals.first != nil
    settledCalls.append(call, awaitsNextPass: hasNewcomers, roster)
  }

  /// An observation was cancelled. If the lane has nothing left to handle, returns the tasks to resume.
  mutating func settledByCancellation(_ roster: Roster) -> [Resumption] {
    isRunning || hasWork(roster) ? [] : settledCalls.removeAll()
  }
}
