extension AnyCell {
  /// Begins an observation: gives it a position in the updates and a place in a lane, in one step.
  ///
  /// - Parameter depth: The number of versions that may wait for the observation. Nil if the observation already has
  ///   its position in the updates, and the cell already counts it as a reader.
  @usableFromInline
  final func start(_ observation: Observation, depth: UInt32?, on context: DeliveryContext) {
    let purpose = depth.map { Upstream.Purpose.joining(depth: $0) } ?? .reading
    let entry = read(for: purpose) { enterWhileLocked(observation, depth: depth, on: context, &$0) }
    if EventHook.isOn { EventHook.emit(.observationBegan(observation.label(in: entry.lane))) }
    if entry.mustWake { entry.lane.wake() }
    entry.outlived?.wake()
    sweep(entry.sweep)
  }

  private final func enterWhileLocked(
    _ observation: Observation,
    depth: UInt32?,
    on context: DeliveryContext,
    _ roster: inout Roster
  ) -> LaneEntry {
    var entry = roster.laneEntry(for: context, of: self)
    observation.enter(entry.lane)
    if let depth {
      observation.depth = depth
      roster.readerJoined()
      _ = observation.perform(observation, .beginWhileLocked(depth: depth, version: roster.version))
    }
    let wasParked = entry.lane.joinedWhileLocked(observation, &roster)
    entry.mustWake = entry.isNew || wasParked
    let mayLoseOwner = !observation.endsWithToken || entry.lane.contextHasOwner
    entry.sweep = SweepDue(mayLoseOwner: mayLoseOwner, isNewDeliverer: entry.isNew, &roster)
    return entry
  }

  /// Begins an observation on the caller's isolation, and makes its first call.
  @usableFromInline
  final func startOnCaller(_ observation: Observation, depth: UInt32, isolation: any Actor) {
    let context = DeliveryContext(isolation: isolation)
    let pass = makePassSnapshot()
    let entry = read(for: .joining(depth: depth)) {
      enterOnCallerWhileLocked(observation, depth: depth, in: pass, on: context, &$0)
    }
    guard let entry else {
      _ = observation.perform(observation, .deliver(pass, limit: TurnBudget.largestQuantum))
      read(for: .leaving) { _ in observation.leaveWhileLocked() }
      return observation.finishRemoval()
    }
    if EventHook.isOn { EventHook.emit(.observationBegan(observation.label(in: entry.lane))) }
    entry.lane.makeFirstCall(of: observation, in: pass, isTurn: entry.isTurn)
    entry.outlived?.wake()
    sweep(entry.sweep)
  }

  // Returns nil if the cell has ended: the observation receives the last value and then the end, so it needs no lane.
  private final func enterOnCallerWhileLocked(
    _ observation: Observation,
    depth: UInt32,
    in pass: AnyPassSnapshot,
    on context: DeliveryContext,
    _ roster: inout Roster
  ) -> LaneEntry? {
    fillWhileLocked(pass, roster)
    _ = observation.perform(observation, .beginWhileLocked(depth: depth, version: roster.version))
    if roster.isFinished { return nil }
    var entry = roster.laneEntry(for: context, of: self)
    observation.enter(entry.lane)
    observation.depth = depth
    roster.readerJoined()
    entry.isTurn = entry.lane.callersTurnBeganWhileLocked(observation, &roster)
    let mayLoseOwner = !observation.endsWithToken || entry.lane.contextHasOwner
    entry.sweep = SweepDue(mayLoseOwner: mayLoseOwner, isNewDeliverer: entry.isNew, &roster)
    return entry
  }

  /// The lane that an observation has entered, and what the caller must do after the lock.
  fileprivate struct LaneEntry: Sendable {
    let lane: Lane
    let isNew: Bool
    /// The lane that had this key before, if its actor has died: another actor has the same address now, and so the
    /// same key. The caller wakes the old lane, so that the old lane ends.
    let outlived: Lane?
    /// Whether the caller must wake the lane.
    var mustWake = false
    /// Whether the first call, which the caller makes itself, is a turn of the lane.
    var isTurn = false
    var sweep = SweepDue()
  }

  /// Takes the lane of the cell's own isolation out of the list of parked readers, and returns the lane. The caller
  /// runs on that isolation, and must run a turn of the lane. Until then no other thread wakes the lane.
  @usableFromInline
  package final func holdHostLane() -> Lane? {
    locked { $0.holdHostLane() }
  }

  /// Where the caller that has registered an observation must look for dead owners, after the lock.
  struct SweepDue: Sendable {
    /// Whether to look in this cell.
    var isHere = false
    /// Whether this cell has its first deliverer now, or its first observation that may lose its owner. Then each cell
    /// that feeds this cell counts one more observation, and the caller may have to look for dead owners there too.
    var isBelow = false
    var mayLoseOwner = true

    init() {}

    /// Counts an observation that has begun.
    init(mayLoseOwner: Bool, isNewDeliverer: Bool, _ roster: inout Roster) {
      self.mayLoseOwner = mayLoseOwner
      let isFirst = isNewDeliverer && roster.delivererTable.count == 1
      isBelow = isFirst || mayLoseOwner && !roster.hasHadOwners
      isHere = roster.observationJoined(mayLoseOwner: mayLoseOwner)
    }
  }

  final func sweep(_ due: SweepDue) {
    if due.isHere { sweep() }
    guard due.isBelow, let upstream else { return }
    let mayLoseOwner = due.mayLoseOwner
    for cell in upstream.sources ?? upstream.feeders(of: self).map(\.cell) {
      var due = SweepDue()
      due.isHere = cell.locked { $0.observationJoined(mayLoseOwner: mayLoseOwner) }
      due.isBelow = true
      due.mayLoseOwner = mayLoseOwner
      cell.sweep(due)
    }
  }

  // Makes each lane look for dead owners on the lane's own context, because perhaps no delivery has noticed that an
  // owner has died. Does so for this cell, for each cell that follows this cell, and for each cell that a relay feeds
  // from this cell.
  @usableFromInline
  final func sweep() {
    let targets = locked { SweepTargets(deliverers: $0.deliverers, followers: Array($0.followers.values)) }
    targets.deliverers.forEach { $0.sweep(in: self) }
    targets.followers.forEach { $0.sweep() }
  }

  /// Ends the cell, because its owner is being deallocated.
  ///
  /// Starts a sweep. It ends the two-way bindings between this cell and cells that live, and observations of combinations
  /// by the owner of this cell. Without the sweep, the next write to a living cell would end them. Until then they would
  /// keep the last value of this cell alive, and that value may hold the living cell.
  package final func ended(withDying owner: Any.Type) {
    for follower in finish(ofDying: owner) { follower.sweep() }
  }

  private struct SweepTargets: Sendable {
    let deliverers: [Deliverer]
    let followers: [AnyCell]
  }
}

extension Cell {
  /// Sends a value, and holds the lane of the cell's own isolation in the same step. The caller must run a turn of the
  /// lane. The turn calls the handler of each observation that is on the cell's own isolation when the value becomes
  /// current.
  @inlinable
  package func sendHoldingHost(_ new: consuming Value) -> Lane? {
    var value = new
    let held = written { HeldSend(lane: $1.holdHostLane(), publication: $0.sent(&value, &$1)) }
    switch held.publication {
    case .published(let woken, _): woken.wake()
    case .ignored: break
    case .deferred(let claim):
      sendAfterDeferral(value, after: claim)
      return held.lane ?? holdHostLane()
    }
    return held.lane
  }
}

/// A write, and the lane that it holds.
@usableFromInline
struct HeldSend<Value: Sendable>: Sendable {
  @usableFromInline let lane: Lane?
  @usableFromInline let publication: Publication<Value>

  @inlinable
  init(lane: Lane?, publication: Publication<Value>) {
    self.lane = lane
    self.publication = publication
  }
}

extension Roster {
  @usableFromInline
  mutating func holdHostLane() -> Lane? {
    guard let lane = hostLane else { return nil }
    _ = unparked(lane)
    return unsafe unsafeDowncast(lane, to: Lane.self)
  }

  /// Returns the lane of a context. Creates the lane if there is none.
  ///
  /// A lane is outlived if its actor has died and another actor has the same address now.
  fileprivate mutating func laneEntry(for context: DeliveryContext, of cell: AnyCell) -> AnyCell.LaneEntry {
    var outlived: Lane?
    if let deliverer = delivererTable[context.key] {
      let lane = unsafe unsafeDowncast(deliverer, to: Lane.self)
      if lane.hasContext { return AnyCell.LaneEntry(lane: lane, isNew: false, outlived: nil) }
      if unparked(lane) { outlived = lane }
    }
    let lane = Lane.make(on: context, of: cell, version: version)
    delivererJoined(lane, context.key)
    return AnyCell.LaneEntry(lane: lane, isNew: true, outlived: outlived)
  }
}
