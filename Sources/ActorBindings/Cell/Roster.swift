/// The part of a cell's state that does not depend on the type of its value: how far it has come, and its readers.
///
/// So lanes need not be generic: they are compiled once, here, and not again for each type of value in each client.
@usableFromInline
package struct Roster: Sendable {
  /// The number of updates.
  @usableFromInline package var version: UInt64 = 0

  /// The claim of a `modify` that has lost several races: it goes first.
  @usableFromInline package var claim: Claim?
  // Declared here to use `claim`'s padding.
  @usableFromInline package var isFinished = false

  /// The parked readers: they have seen everything.
  @usableFromInline package var idle = WaitList()

  /// The number of observations and of readers of relays that have not ended, of iterators that are alive, and of streams
  /// that hold a position.
  @usableFromInline package var readers = 0
  private var joinedSinceSweep = 0

  /// The cells that follow this one, and have readers.
  package var junctions: [ObjectIdentifier: AnyCell] = [:]

  /// The deliverers: a lane for each context that has observations, and the readers of relays.
  package var lanes: [ContextKey: Waiter] = [:]
  /// The lane of the cell's own isolation, which `update` serves itself.
  @usableFromInline package var hostLane: Waiter?

  /// The waiters that wait only for the end, the newest first. No update looks at them.
  private var endWaiters: Waiter?

  @usableFromInline
  package init() {}
}

extension Roster {
  @inlinable
  package var horizon: Horizon { Horizon(version: version, isFinished: isFinished) }

  /// The cell ends. Idempotent.
  @usableFromInline
  package mutating func finish() -> Woken {
    isFinished = true
    let last = unsafe idle.last
    let woken = idle.takeAll()
    // From here on the links of the end waiters belong to the thread that wakes them: no end waiter leaves the list.
    guard let endWaiter = endWaiters.take() else { return woken }
    guard let last else { return Woken(first: endWaiter) }
    last.next = endWaiter
    return woken
  }

  /// `endWaiter` begins to wait: only the end of the cell will wake it. Returns false if the cell has ended.
  package mutating func endWaiterJoined(_ endWaiter: Waiter) -> Bool {
    if isFinished { return false }
    endWaiter.next = endWaiters
    unsafe endWaiters?.previous = endWaiter
    endWaiters = endWaiter
    return true
  }

  /// The number of waiters that wait only for the end. For tests.
  package var endWaiterCount: Int {
    var (count, rest) = (0, endWaiters)
    while let endWaiter = rest { (count, rest) = (count + 1, endWaiter.next) }
    return count
  }

  /// `endWaiter` no longer waits. Returns false if it was not waiting. If the cell has ended, the thread that ended it
  /// wakes `endWaiter`, or has done so.
  package mutating func endWaiterLeft(_ endWaiter: Waiter) -> Bool {
    if isFinished { return false }
    let (next, previous) = unsafe (endWaiter.next, endWaiter.previous)
    guard previous != nil || endWaiters === endWaiter else { return false }
    unsafe next?.previous = previous
    if let previous { previous.next = next } else { endWaiters = next }
    endWaiter.next = nil
    unsafe endWaiter.previous = nil
    return true
  }

  /// Returns whether a reader that has seen `version` has nothing left to see, and more may come.
  package func isIdle(at version: UInt64) -> Bool {
    version == self.version && !isFinished
  }

  /// An observation has begun and is counted, here or in a cell that this one feeds. Returns whether it is time to look for
  /// dead owners.
  ///
  /// It is time when more than 64 observations have begun since the last look, and more than were left after that look. So
  /// dead observations never outnumber the living ones by more than a constant factor, even if no writer writes. Those in
  /// the cells that this one feeds count here too: there may be many such cells, and each looks only for its own dead.
  package mutating func observationJoined() -> Bool {
    joinedSinceSweep += 1
    guard joinedSinceSweep > max(64, readers + junctions.count - joinedSinceSweep) else { return false }
    joinedSinceSweep = 0
    return true
  }
}
