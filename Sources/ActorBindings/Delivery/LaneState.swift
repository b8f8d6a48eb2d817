/// Which observations a lane serves, and what it has to do next. A pure state machine.
///
/// ### States
/// - *parked*: everybody was handed everything. The lane stands in the cell's `WaitList`.
/// - *woken*: it was taken out of that list, and is on its way to its context.
/// - *running*: on its context, in passes. It alone touches `residents`; who comes or goes meanwhile waits in
///   `arrivals` and `departed` for the end of the pass.
/// - *closed*: it has no observations, and was taken out of the cell.
///
/// ### Transitions
/// | event | parked | woken | running |
/// |---|---|---|---|
/// | `joined` | woken | – | `arrivals` |
/// | `cancelled` | unlinked; closed if it was the last | unlinked | `departed` |
/// | `runBegan` | – (a job that came too late) | running | – (called inside one of its handlers) |
/// | `passEnded` | | | another pass, woken (others on the context get their turn), parked or closed |
///
/// ### Behavior
/// One run at a time, so one call at a time. A pass visits everybody if there is an update, and else only those
/// who have just joined.
struct LaneState {
  private(set) var isRunning = false
  private(set) var isClosed = false
  private var isSweepDue = false
  private var hasLaggards = false
  // Some observation may end unseen, with its owner.
  private var hasOwners = false

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

  private var callWaiters: [Resumption] = []
  private var settlers: [(version: UInt64, settlement: Settlement)] = []

  init(version: UInt64) {
    delivered = version
  }

  /// Who is to be visited.
  struct Pass: Sendable {
    let first: ObservationLink?
    /// Look for dead owners.
    let sweeps: Bool
  }

  /// What the lane does after a pass.
  enum Step: Sendable {
    case again(Pass)
    /// There is more, but others on the context come first.
    case yield
    case park
    case close

    /// What is settled then, if the pass was completed through `version`.
    func settles(_ version: UInt64) -> UInt64 {
      switch self {
      case .again, .yield: version
      case .park, .close: .max
      }
    }
  }
}

extension LaneState {
  /// An observation begins. `isServed`: who registers it makes its first call.
  mutating func joined(_ observation: Observation, isServed: Bool) {
    count += 1
    hasOwners = hasOwners || !observation.endsWithToken
    if isRunning {
      arrivals.append(observation)
    } else {
      residents.append(observation)
      if !isServed, firstUnvisited == nil { firstUnvisited = residents.last }
    }
  }

  /// An observation was cancelled. True if it is unlinked, and the canceller buries it; false if that is left
  /// to the lane.
  mutating func cancelled(_ observation: Observation) -> Bool {
    count -= 1
    if isRunning || observation.isConfined {
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

  /// Who registers an observation makes its first call, on the lane's context.
  mutating func serviceBegan() {
    precondition(!isRunning, "a lane began a service within a run")
    isRunning = true
  }

  /// A pass is over, and these have ended in it. Returns all who are unlinked now, to be buried.
  mutating func passEnded(
    _ ended: [Observation],
    laggards: Bool,
    mayGoOn: Bool,
    _ roster: Roster
  ) -> (Step, gone: [Observation]) {
    let newcomer = arrivals.first
    residents.append(contentsOf: &arrivals)
    if firstUnvisited == nil { firstUnvisited = newcomer }
    count -= ended.count
    let gone = departed.isEmpty ? ended : ended + departed
    departed = []
    gone.forEach { unlink($0) }
    hasLaggards = hasLaggards || laggards

    if hasWork(roster), mayGoOn { return (.again(nextPass(roster)), gone) }
    isRunning = false
    if hasWork(roster) { return (.yield, gone) }
    isClosed = count == 0
    return (isClosed ? .close : .park, gone)
  }

  /// Nothing is left, and nobody runs.
  mutating func closed() {
    isClosed = true
  }

  /// The context is gone. Returns all who were still linked, to be buried.
  mutating func abandoned() -> [Observation] {
    isClosed = true
    count = 0
    departed = []
    firstUnvisited = nil
    residents.append(contentsOf: &arrivals)
    return residents.removeAll()
  }

  private func hasWork(_ roster: Roster) -> Bool {
    guard count > 0 else { return false }
    return roster.version != delivered || roster.isFinished || hasLaggards || isSweepDue
      || firstUnvisited != nil
  }

  private mutating func nextPass(_ roster: Roster) -> Pass {
    let everybody = roster.version != delivered || roster.isFinished || hasLaggards || isSweepDue
    let first = everybody ? residents.first : firstUnvisited
    let pass = Pass(first: first, sweeps: isSweepDue)
    firstUnvisited = nil
    delivered = roster.version
    hasLaggards = false
    isSweepDue = false
    return pass
  }

  private mutating func unlink(_ observation: Observation) {
    if firstUnvisited?.leads(to: observation) == true { firstUnvisited = observation.next }
    residents.remove(observation)
  }
}

// MARK: - Those who wait for the lane

extension LaneState {
  /// Somebody waits until no call is running that began before.
  mutating func awaitsCalls(_ continuation: Resumption) {
    callWaiters.append(continuation)
  }

  /// No call is running just now.
  mutating func callsEnded() -> [Resumption] {
    guard !callWaiters.isEmpty else { return [] }
    defer { callWaiters = [] }
    return callWaiters
  }

  /// Somebody waits until everything up to `version` is handled.
  mutating func awaitsSettlement(_ settlement: Settlement, of version: UInt64) {
    settlers.append((version, settlement))
  }

  /// The same, and everything up to `version` is handled.
  mutating func whoCanGoOn(settled version: UInt64) -> [Resumption] {
    if settlers.isEmpty { return callsEnded() }
    let done = settlers.filter { $0.version <= version }
    settlers.removeAll { $0.version <= version }
    return callsEnded() + done.compactMap { $0.settlement.laneSettled() }
  }
}
