/// Which observations a lane serves, and what it has to do next. A pure state machine.
///
/// ### States
/// - *parked*: everybody was handed everything. The lane stands in the cell's `WaitList`.
/// - *woken*: it was taken out of that list, and is on its way to its context.
/// - *running*: on its context, in passes. It alone touches `residents`. Observations that begin meanwhile wait in
///   `arrivals` for the end of the pass, those that are cancelled in `departed` for the end of the call that is running.
/// - *closed*: it has no observations, and was taken out of the cell.
///
/// A pass may be *interrupted*: the lane's turn is over, and some observations were not visited. The next pass begins there.
///
/// The lane of the cell's own isolation may be *held* besides: `update` takes it out of the list before it writes,
/// and runs it afterwards; nobody else wakes it meanwhile, and no job is under way for it.
///
/// ### Transitions
/// | event | parked | woken | running |
/// |---|---|---|---|
/// | `joined` | woken | – | `arrivals` |
/// | `cancelled` | unlinked; closed if it was the last | unlinked | `departed`; unlinked if it is in `arrivals` |
/// | `callEnded` | | | those in `departed` are unlinked |
/// | `runBegan` | – (a job that came too late) | running | – (called inside one of its handlers) |
/// | `serviceBegan` | running | running | `arrivals` (called inside one of its handlers) |
/// | `passEnded` | | | another pass, woken (others on the context get their turn), parked or closed |
/// | `sweepWanted` | woken | – | another pass |
/// | `abandoned` | – | closed | – |
///
/// ### Behavior
/// One run at a time, so one call at a time. A pass visits all observations if there is an update, and else only those
/// that have just joined. A confined observation is unlinked by a run only, since its captures are released where it runs.
struct LaneState {
  private(set) var isRunning = false
  private(set) var isClosed = false
  private var isSweepDue = false
  private var hasLaggards = false
  // Some observation may end unseen, with its owner.
  private var hasOwners = false
  // All were told that the cell has ended, but for laggards.
  private var hasDeliveredEnd = false
  // The pass that was interrupted looked for dead owners.
  private var isSweepInterrupted = false

  /// Observations that have not ended.
  private(set) var count = 0
  private var residents = ObservationList()
  // The first of the residents that was never visited.
  private var firstUnvisited: ObservationLink?
  private var arrivals = ObservationList()
  // Cancelled, and to be buried by the lane.
  private var departed: [Observation] = []
  // All up to this version was handed out, but for laggards.
  private var delivered: UInt64
  private var interruption: Interruption?

  private var settlers = Settlers()

  init(version: UInt64) {
    delivered = version
  }

  /// The observations to be visited.
  struct Pass: Sendable {
    let first: ObservationLink?
    /// Look for dead owners.
    let sweeps: Bool
  }

  /// What is left of a pass that did not come to its end.
  private struct Interruption {
    /// The first observation that was not visited; nil if it was the last, and has left.
    var rest: ObservationLink?
    /// All observations before it have seen this version.
    let completed: UInt64
  }

  /// What the lane does after a pass.
  enum Step: Sendable {
    case again(Pass)
    /// There is more, but others on the context come first.
    case yield
    case park
    case close
  }
}

extension LaneState {
  /// An observation begins.
  mutating func joined(_ observation: Observation) {
    enlist(observation)
    if !isRunning, firstUnvisited == nil { firstUnvisited = residents.last }
  }

  /// An observation begins, and who registers it makes its first call, on the lane's context. False if that is inside
  /// one of the lane's handlers: the run that is under way goes on afterwards.
  mutating func serviceBegan(_ observation: Observation) -> Bool {
    enlist(observation)
    if isRunning { return false }
    isRunning = true
    return true
  }

  private mutating func enlist(_ observation: Observation) {
    count += 1
    hasOwners = hasOwners || !observation.endsWithToken
    observation.isArrival = isRunning
    if isRunning { arrivals.append(observation) } else { residents.append(observation) }
  }

  /// An observation was cancelled. True if it is unlinked, and the canceller buries it; false if that is left
  /// to the lane.
  mutating func cancelled(_ observation: Observation) -> Bool {
    count -= 1
    if observation.isConfined || (isRunning && !observation.isArrival) {
      departed.append(observation)
      return false
    }
    unlink(observation)
    return true
  }

  /// The lane is to look for dead owners. False if there are none to look for.
  mutating func sweepWanted(hasOwner: Bool) -> Bool {
    guard hasOwner || hasOwners else { return false }
    isSweepDue = true
    return true
  }

  /// The lane is on its context.
  mutating func runBegan(_ roster: Roster) -> Pass {
    precondition(!isRunning, "a lane began a run within a run")
    isRunning = true
    return nextPass(roster)
  }

  /// What came of one pass.
  struct PassResult {
    /// Everybody has seen this version, or has ended. Nil if not everybody was visited.
    var completed: UInt64?
    /// These have ended in it.
    var ended: [Observation] = []
    /// There are some that have more to see.
    var hasLaggards = false
    /// The turn was over before this one was visited.
    var rest: ObservationLink?
    /// The pass looked for dead owners.
    var sweeps = false
  }

  /// A call has ended, and others of the same pass may follow. Returns those that have ended, to be buried.
  ///
  /// - Parameters:
  ///   - ended: Observations that have ended in this pass.
  ///   - next: The next one to be visited, and afterwards the next one that stays.
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

  /// A pass is over. Those that are `gone` are to be buried, those that are `resumed` waited for this.
  mutating func passEnded(
    _ result: PassResult,
    mayGoOn: Bool,
    _ roster: Roster
  ) -> (step: Step, gone: [Observation], resumed: [Resumption]) {
    var completed = result.completed
    if let new = completed {
      let all = min(new, interruption?.completed ?? new)
      interruption = result.rest.map { Interruption(rest: $0, completed: all) }
      isSweepInterrupted = interruption != nil && result.sweeps
      completed = interruption == nil ? all : nil
    }
    // Before the newcomers are taken up into the next pass: a task may wait for them.
    var resumed = completed.map { settlers.handled(through: $0) } ?? []
    let newcomer = arrivals.first
    arrivals.forEach { $0.isArrival = false }
    residents.append(contentsOf: &arrivals)
    if firstUnvisited == nil { firstUnvisited = newcomer }
    var rest: ObservationLink?
    let gone = callEnded(result.ended, next: &rest)
    hasLaggards = hasLaggards || result.hasLaggards

    if hasWork(roster), mayGoOn { return (.again(nextPass(roster)), gone, resumed) }
    isRunning = false
    if hasWork(roster) { return (.yield, gone, resumed) }
    resumed += settlers.removeAll()
    isClosed = count == 0
    return (isClosed ? .close : .park, gone, resumed)
  }

  /// Nothing is left, and nobody runs.
  mutating func closed() {
    isClosed = true
  }

  /// The context is gone. Those who are `gone` are to be buried, those who are `resumed` waited for the lane.
  mutating func abandoned() -> (gone: [Observation], resumed: [Resumption]) {
    isClosed = true
    count = 0
    departed = []
    firstUnvisited = nil
    interruption = nil
    // It was not running: nothing has arrived meanwhile.
    return (residents.removeAll(), settlers.removeAll())
  }

  private func hasWork(_ roster: Roster) -> Bool {
    guard count > 0 else { return false }
    return isEverybodyDue(roster) || firstUnvisited != nil || interruption != nil
  }

  private func isEverybodyDue(_ roster: Roster) -> Bool {
    roster.version != delivered || roster.isFinished != hasDeliveredEnd || hasLaggards || isSweepDue
  }

  private mutating func nextPass(_ roster: Roster) -> Pass {
    settlers.passBegan()
    // What comes after the place of the interruption includes all that have joined since. What comes before it has seen
    // what the interrupted pass showed it, and is due after this pass if there is more.
    if let interruption {
      let first = interruption.rest ?? firstUnvisited
      firstUnvisited = nil
      return Pass(first: first, sweeps: isSweepInterrupted)
    }
    let first = isEverybodyDue(roster) ? residents.first : firstUnvisited
    let pass = Pass(first: first, sweeps: isSweepDue)
    firstUnvisited = nil
    delivered = roster.version
    hasDeliveredEnd = roster.isFinished
    hasLaggards = false
    isSweepDue = false
    return pass
  }

  private mutating func unlink(_ observation: Observation) {
    if observation.isArrival { return arrivals.remove(observation) }
    if firstUnvisited?.leads(to: observation) == true { firstUnvisited = observation.next }
    if interruption?.rest?.leads(to: observation) == true { interruption?.rest = observation.next }
    residents.remove(observation)
  }
}

// MARK: - Tasks that wait for the lane

extension LaneState {
  /// The number of tasks that wait, with those that have given up and were not removed yet.
  var settlerCount: Int { settlers.count }

  /// A task waits until everything that is published now is handled, by all observations that are here now.
  mutating func awaitsSettlement(_ settlement: Settlement, _ roster: Roster) {
    let hasNewcomers = firstUnvisited != nil || arrivals.first != nil
    settlers.append(settlement, awaitsNextPass: hasNewcomers, roster)
  }

  /// An observation was cancelled, and perhaps nothing is left to be handled.
  mutating func settledByCancellation(_ roster: Roster) -> [Resumption] {
    isRunning || hasWork(roster) ? [] : settlers.removeAll()
  }
}
