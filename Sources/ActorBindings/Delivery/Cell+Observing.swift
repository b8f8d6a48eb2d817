extension Cell {
  /// Begins an observation: its place in the updates and its place in a lane, in one step.
  @usableFromInline
  func begin(_ observation: Observation<Value>, depth: UInt32, on context: DeliveryContext) {
    let (lane, mustWake, outlived, sweepsAll) = locked { state in
      let (lane, isNew, outlived) = state.lane(for: context, of: self)
      let sweepsAll = state.registers(observation, in: lane, depth: depth)
      let wasParked = lane.joined(observation, isServed: false, cell: &state)
      return (lane, isNew || wasParked, outlived, sweepsAll)
    }
    if mustWake { lane.wake() }
    outlived?.wake()
    if sweepsAll { sweep() }
  }

  /// Begins an observation on the isolation of who calls this, and makes its first call.
  @usableFromInline
  func beginServed(_ observation: Observation<Value>, depth: UInt32, isolation: any Actor) {
    let context = DeliveryContext(isolation: isolation)
    let (lane, outlived, sweepsAll, snapshot) = locked { state in
      let snapshot = Feed(roundOf: state)
      if state.isFinished {
        observation.take(depth, in: &state)
        return (Lane<Value>?.none, LaneJob?.none, false, snapshot)
      }
      let (lane, _, outlived) = state.lane(for: context, of: self)
      let sweepsAll = state.registers(observation, in: lane, depth: depth)
      _ = lane.joined(observation, isServed: true, cell: &state)
      return (lane, outlived, sweepsAll, snapshot)
    }
    var feed = snapshot
    if let lane {
      lane.serve(observation, in: &feed)
    } else {
      // The last value, and then the end.
      _ = observation.visit(observation, &feed)
      let spill = locked { observation.leave(&$0) }
      _ = consume spill
      observation.buried()
    }
    outlived?.wake()
    if sweepsAll { sweep() }
  }

  /// The lane of the cell's own isolation, for who is there and will serve it: until then nobody wakes it.
  package func holdHostLane() -> Lane<Value>? {
    locked { state in
      guard let lane = state.ownLane else { return nil }
      _ = state.idle.remove(lane)
      return unsafe unsafeDowncast(lane, to: Lane<Value>.self)
    }
  }

  // Owners may have died unseen: has the lanes look for them, each on its context.
  private func sweep() {
    let lanes = locked { Array($0.lanes.values) }
    for waiter in lanes {
      let mustWake = locked { (waiter as? Lane<Value>)?.sweepWanted(cell: &$0) ?? false }
      if mustWake { waiter.wake() }
    }
  }
}

extension CellState {
  /// The lane of a context. It is made if there is none; one whose actor died, and whose address another actor
  /// has now, must be woken to end.
  fileprivate mutating func lane(
    for context: DeliveryContext,
    of cell: Cell<Value>
  ) -> (Lane<Value>, isNew: Bool, outlived: LaneJob?) {
    var outlived: LaneJob?
    if let waiter = lanes[context.key] {
      let lane = unsafe unsafeDowncast(waiter, to: Lane<Value>.self)
      if lane.hasContext { return (lane, false, nil) }
      if idle.remove(lane) { outlived = lane }
    }
    let lane = Lane(context, of: cell, version: version)
    lanes[context.key] = lane
    if context.key == .cell { ownLane = lane }
    return (lane, true, outlived)
  }

  // True if it is time to look for dead owners: so the dead are never more than a constant factor more than the
  // living, though nobody writes.
  fileprivate mutating func registers(
    _ observation: Observation<Value>,
    in lane: Lane<Value>,
    depth: UInt32
  ) -> Bool {
    observation.enter(lane)
    observation.take(depth, in: &self)
    readers += 1
    joinedSinceSweep += 1
    guard joinedSinceSweep > max(64, readersAtSweep) else { return false }
    joinedSinceSweep = 0
    readersAtSweep = readers
    return true
  }
}
