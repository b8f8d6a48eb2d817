// The problem: a value that was written upstream of a cell may still be on its way to this cell: in a reader of a relay,
// or in the observation that writes a derived cell. A task that waits only for the deliverers of this cell would miss
// that value. A task could wait for all deliverers of all cells upstream. But then it would also wait for handlers that
// have nothing to do with this cell, and these may take long. So the task goes from the written cells downstream, and
// waits in each cell for only those deliverers that carry its values on. In the last cell it waits for all deliverers.
//
// Each wait concerns what was published before that wait began. This includes what the waits before it have brought
// there, so nothing that was published before the call is missed, and no wait depends on later writes.
extension AnyCell {
  /// Waits until everything that was published here or upstream before the call has reached this cell, and until the
  /// deliverers of this cell, and of the cells that follow this cell, have handled it.
  package final func settled() async {
    var visited = VisitedObjects()
    let hasWaitedUpstream = await arrived(&visited)
    let hasWaitedHere = await delivered()
    if !hasWaitedUpstream, !hasWaitedHere { await CooperativeYield.callDidNotSuspend() }
  }

  // Waits until everything that was published upstream before the call has reached this cell. Returns whether the task
  // has suspended.
  private final func arrived(_ visited: inout VisitedObjects) async -> Bool {
    var hasSuspended = false
    var carriers = VisitedObjects()
    // When a `switchToLatest` switches, another reader feeds its cell, perhaps from other cells. The reader of the outer
    // source has not handled an update until the switch that it makes due was performed. So the first round waits for
    // all switches that were due when the call began, and the second round finds the reader of the newest inner source.
    // Further switches need no wait.
    for _ in 1...2 {
      let others = feeders.filter { carriers.insert($0.deliverer ?? $0.cell) }
      if others.isEmpty { break }
      for feeder in others {
        if visited.insert(feeder.cell), await feeder.cell.arrived(&visited) { hasSuspended = true }
        if await feeder.carriedOn() { hasSuspended = true }
      }
    }
    return hasSuspended
  }

  private final func delivered() async -> Bool {
    let call = SettledCall()
    for cell in withFollowers {
      cell.read(for: .reading) { call.awaitsDeliverersWhileLocked($0) }
    }
    return await call.wait()
  }
}

extension Feeder {
  /// Waits until the deliverer has handled what was published in the cell before the call. Returns whether the task has
  /// suspended.
  package func carriedOn() async -> Bool {
    guard let deliverer else { return false }
    let call = SettledCall()
    cell.read(for: .reading) {
      call.awaitsWhileLocked(unsafe unsafeDowncast(deliverer, to: Deliverer.self), $0)
    }
    return await call.wait()
  }
}

/// The objects that a traversal has visited. It keeps them alive, so no other object gets the identity of one of them.
private struct VisitedObjects {
  private var objects: [ObjectIdentifier: any AnyObject & Sendable] = [:]

  /// Returns false if `object` was visited before.
  mutating func insert(_ object: any AnyObject & Sendable) -> Bool {
    objects.updateValue(object, forKey: ObjectIdentifier(object)) == nil
  }
}
