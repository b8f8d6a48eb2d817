/// The part of a cell's state that does not depend on its value: how far it has come, and who reads it.
///
/// So lanes need not be generic: they are compiled once, here, and not anew for each value in each client.
@usableFromInline
package struct Roster: Sendable {
  /// How many updates there have been.
  @usableFromInline package var version: UInt64 = 0

  /// Who modifies under contention, and is let go first.
  @usableFromInline package var claim: Claim?
  // Here it takes no room: the claim ends within a word.
  @usableFromInline package var isFinished = false

  /// Who has seen everything.
  @usableFromInline package var idle = WaitList()

  /// Observations that have not ended, and iterators that are alive.
  @usableFromInline package var readers = 0
  private var joinedSinceSweep = 0

  /// The cells that are brought up to date by what this one holds, and have readers.
  package var junctions: [ObjectIdentifier: AnyCell] = [:]

  /// What delivers where: a lane for each context that has observations, and the readers of relays.
  package var lanes: [ContextKey: Waiter] = [:]
  /// The lane of the cell's own isolation, which `update` serves itself.
  @usableFromInline package var hostLane: Waiter?

  /// Those who wait for the end alone, the newest first. No update looks at them.
  private var attendants: Waiter?

  @usableFromInline
  package init() {}
}

extension Roster {
  @inlinable
  package var horizon: Horizon { Horizon(version: version, isFinished: isFinished) }

  /// Nothing comes any more. Twice is once.
  @usableFromInline
  package mutating func finish() -> Woken {
    isFinished = true
    let last = unsafe idle.last
    let woken = idle.takeAll()
    // From here on the links of the attendants belong to the thread that wakes them: none of them leaves.
    guard let attendant = attendants.take() else { return woken }
    guard let last else { return Woken(first: attendant) }
    last.next = attendant
    return woken
  }

  /// `attendant` will be woken by the end of the cell, and by nothing before. False if it has ended.
  package mutating func attended(by attendant: Waiter) -> Bool {
    if isFinished { return false }
    attendant.next = attendants
    unsafe attendants?.previous = attendant
    attendants = attendant
    return true
  }

  /// How many wait for the end alone. For tests.
  package var attendantCount: Int {
    var (count, rest) = (0, attendants)
    while let attendant = rest { (count, rest) = (count + 1, attendant.next) }
    return count
  }

  /// `attendant` waits no longer. False if it did not, because the cell has ended: then it is woken, or was.
  package mutating func left(by attendant: Waiter) -> Bool {
    if isFinished { return false }
    let (next, previous) = unsafe (attendant.next, attendant.previous)
    guard previous != nil || attendants === attendant else { return false }
    unsafe next?.previous = previous
    if let previous { previous.next = next } else { attendants = next }
    attendant.next = nil
    unsafe attendant.previous = nil
    return true
  }

  /// Whether a reader that has seen `version` has nothing left to see, and more may come.
  package func isIdle(at version: UInt64) -> Bool {
    version == self.version && !isFinished
  }

  /// An observation has begun and is counted, here or in a cell that follows this one; for there may be many such cells,
  /// and each looks for its own dead alone. True if it is time to look for dead owners: when more have joined than were left
  /// after the last time. So the dead never outnumber the living by more than a constant factor, though nobody
  /// writes.
  package mutating func observationJoined() -> Bool {
    joinedSinceSweep += 1
    guard joinedSinceSweep > max(64, readers + junctions.count - joinedSinceSweep) else { return false }
    joinedSinceSweep = 0
    return true
  }
}
