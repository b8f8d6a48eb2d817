extension AnyCell {
  /// Begins an observation: takes its position in the updates and its place in a lane, in one step.
  ///
  /// - Parameter depth: Nil if the observation is already counted and has its position in the updates.
  @usableFromInline
  final func start(_ observation: Observation, depth: UInt32?, on context: DeliveryContext) {
    let purpose = depth.map { Upstream.Purpose.joining(depth: $0) } ?? .reading
    let (lane, mustWake, outlived, due) = read(for: purpose) { roster in
      let (lane, isNew, outlived) = roster.lane(for: context, of: self)
      observation.enter(lane)
      if let depth {
        roster.readers += 1
        _ = observation.perform(observation, .begin(depth: depth, version: roster.version))
      }
      let wasParked = lane.joined(observation, &roster)
      return (lane, isNew || wasParked, outlived, SweepDue(roster.observationJoined(), isNew, roster))
    }
    if mustWake { lane.wake() }
    outlived?.wake()
    sweep(due)
  }

  /// Begins an observation on the caller's isolation, and makes its first call.
  @usableFromInline
  final func startOnCaller(_ observation: Observation, depth: UInt32, isolation: any Actor) {
    let context = DeliveryContext(isolation: isolation)
    let pass = makePassSnapshot()
    let (lane, isTurn, outlived, due) = read(for: .joining(depth: depth)) {
      roster -> (Lane?, Bool, Lane?, SweepDue) in
      fillWhileLocked(pass, roster)
      _ = observation.perform(observation, .begin(depth: depth, version: roster.version))
      // The observation receives the last value and then the end below, so it needs no lane.
      if roster.isFinished { return (nil, false, nil, SweepDue()) }
      let (lane, isNew, outlived) = roster.lane(for: context, of: self)
      observation.enter(lane)
      roster.readers += 1
      let isTurn = lane.callersTurnBegan(observation, &roster)
      return (lane, isTurn, outlived, SweepDue(roster.observationJoined(), isNew, roster))
    }
    if let lane {
      lane.makeFirstCall(of: observation, in: pass, isTurn: isTurn)
    } else {
      _ = observation.perform(observation, .deliver(pass, limit: TurnBudget.largestQuantum))
      read(for: .leaving) { _ in observation.leave() }
      observation.buried()
    }
    outlived?.wake()
    sweep(due)
  }

  /// Takes the lane of the cell's own isolation out of the list of parked readers, and returns it. The caller runs on that
  /// isolation and must serve the lane; until then no other thread wakes it.
  @usableFromInline
  package final func holdHostLane() -> Lane? {
    locked { $0.holdHostLane() }
  }

  /// What the caller must do after the lock when it has registered an observation, so that dead owners are found.
  struct SweepDue: Sendable {
    /// It is time to look for dead owners in this cell.
    var isHere = false
    /// It may be time to look in the cells that feed this cell, because this cell has its first observations now.
    var isBelow = false

    init() {}

    init(_ isHere: Bool, _ isNewLane: Bool, _ roster: Roster) {
      self.isHere = isHere
      isBelow = isNewLane && roster.lanes.count == 1
    }
  }

  final func sweep(_ due: SweepDue) {
    if due.isHere { sweep() }
    guard due.isBelow, let upstream else { return }
    for cell in upstream.feedingCells(of: self) {
      var due = SweepDue()
      due.isHere = cell.locked { $0.observationJoined() }
      due.isBelow = true
      cell.sweep(due)
    }
  }

  // Owners may have died without any reader noticing. Has each lane look for them on its context, in this cell and in each
  // cell that follows this one or is fed from it.
  @usableFromInline
  final func sweep() {
    let (deliverers, followers) = locked { ($0.deliverers, Array($0.junctions.values)) }
    deliverers.forEach { $0.sweep(in: self) }
    followers.forEach { $0.sweep() }
  }
}

extension Cell {
  /// Sends a value, and holds the lane of the cell's own isolation in the same step. The caller must serve the lane:
  /// that calls the handler of each observation which is on this isolation when the value becomes current.
  @inlinable
  package func sendHoldingHost(_ new: consuming Value) -> Lane? {
    var value = new
    let (outcome, lane) = written { state, roster in
      let lane = roster.holdHostLane()
      return (state.sent(&value, &roster), lane)
    }
    switch outcome {
    case .published(let woken, _): woken.wake()
    case .ignored: break
    case .deferred(let claim):
      sendAfterDeferral(value, after: claim)
      return lane ?? holdHostLane()
    }
    return lane
  }
}

extension Roster {
  @usableFromInline
  mutating func holdHostLane() -> Lane? {
    guard let lane = hostLane else { return nil }
    _ = idle.remove(lane)
    return unsafe unsafeDowncast(lane, to: Lane.self)
  }

  /// Returns the lane of a context, and makes it if there is none.
  ///
  /// A lane is `outlived` if its actor has died and another actor has the same address now. The caller must wake it, so that
  /// it ends.
  fileprivate mutating func lane(
    for context: DeliveryContext,
    of cell: AnyCell
  ) -> (Lane, isNew: Bool, outlived: Lane?) {
    var outlived: Lane?
    if let waiter = lanes[context.key] {
      let lane = unsafe unsafeDowncast(waiter, to: Lane.self)
      if lane.hasContext { return (lane, false, nil) }
      if idle.remove(lane) { outlived = lane }
    }
    let lane = Lane(context, of: cell, version: version)
    lanes[context.key] = lane
    if context.key == .cell { hostLane = lane }
    return (lane, true, outlived)
  }
}
