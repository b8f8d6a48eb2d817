/// The part of a cell's state that does not depend on the type of the value: the version, the end and the readers.
///
/// Because the roster is not generic, lanes need not be generic either. So lanes are compiled once, in this library,
/// and not again for each type of value in each client.
///
/// Other folders read the roster, and change it only by its events. Each event is called under the cell's lock.
///
/// ### States
/// - *open*: writers may write, readers park in `idle`, and waiters for the end are kept.
/// - *finished*: the version does not rise any more, and a reader that has seen the last version ends instead of
///   parking.
///
/// ### Events
/// | event | effect |
/// |---|---|
/// | `updated`, `takeParked` | the next version; the parked readers are taken out |
/// | `finished` | finished; the parked readers and the waiters for the end are taken out |
/// | `readerJoined`, `readersLeft` | the number of readers |
/// | `parked`, `unparked`, `inputWaiterParked` | a reader waits for the next update, or no longer does |
/// | `writeObserverJoined`, `writeObserverLeft` | an observer notes each update under the lock, or no longer does |
/// | `endWaiterJoined`, `endWaiterLeft` | a waiter waits only for the end, or no longer does |
/// | `followerJoined`, `followerLeft` | a cell with readers follows this one, or no longer does |
/// | `delivererJoined`, `delivererLeft` | a lane or the reader of a relay is registered, or no longer is |
/// | `observationJoined` | counts towards the next sweep for dead owners |
/// | `claimed`, `claimantWrote`, `claimEnded` | the claim of a `modify` that has lost several races |
///
/// ### Actions
/// The caller wakes `Woken` after the lock.
@usableFromInline
package struct Roster: Sendable {
  // Only code in this folder changes these two variables. Their setters are not private, because inlinable functions
  // set the variables.
  /// The number of updates.
  @usableFromInline package internal(set) var version: UInt64 = 0
  /// The parked readers: they have seen everything.
  @usableFromInline package internal(set) var idle = WaitList()

  /// The claim of a `modify` that has lost several races: that `modify` goes first.
  @usableFromInline package private(set) var claim: Claim?
  // Both are declared here to use `claim`'s padding.
  @usableFromInline package private(set) var isFinished = false
  private var endWaitersInList: UInt32 = 0

  /// The number of readers: observations and readers of relays that have not ended, iterators that are alive, and
  /// streams that hold a position.
  @usableFromInline package private(set) var readers = 0
  // Small, to share a word of memory with `hasHadOwners`: there may be very many cells.
  private var joinedSinceSweep: Int32 = 0
  /// Whether an observation has begun that may lose its owner, in this cell or in a cell that this cell feeds.
  package private(set) var hasHadOwners = false

  /// The cells that follow this one, and have readers.
  package private(set) var followers: [ObjectIdentifier: AnyCell] = [:]

  /// The deliverers: a lane for each context that has observations, and the readers of relays.
  package private(set) var delivererTable = DelivererTable()
  /// The lane of the cell's own isolation. `update` itself runs a turn of this lane.
  @usableFromInline package private(set) var hostLane: Waiter?

  /// The waiters that wait only for the end, the newest first. Updates do not wake them.
  private var endWaiters: Waiter?

  /// What notes each update under the lock: the first of a linked list. Nil, unless a list combination follows the
  /// cell.
  @usableFromInline package internal(set) var writeObservers: WriteObserver?

  @usableFromInline
  package init() {}
}

// MARK: - Updates and the end

extension Roster {
  @inlinable
  package var watermark: Watermark { Watermark(version: version, isFinished: isFinished) }

  /// The cell was written.
  @inlinable
  package mutating func updated() {
    version &+= 1
  }

  /// Takes out all parked readers. The caller wakes them after the lock.
  @inlinable
  package mutating func takeParked() -> Woken {
    idle.takeAll()
  }

  /// Takes out all parked readers, and puts them before `others`, which the caller has taken out elsewhere.
  @inlinable
  package mutating func takeParked(before others: Woken) -> Woken {
    idle.takeAll(before: others)
  }

  /// The cell has ended. Idempotent.
  @usableFromInline
  package mutating func finished() -> Woken {
    isFinished = true
    let last = unsafe idle.last
    let woken = idle.takeAll()
    // From here on the links of the end waiters belong to the thread that wakes them, so no end waiter may leave the
    // list.
    endWaitersInList = 0
    guard let endWaiter = endWaiters.take() else { return woken }
    guard let last else { return Woken(first: endWaiter) }
    last.next = endWaiter
    return woken
  }

  /// `endWaiter` begins to wait: only the end of the cell will wake it. Returns false if the cell has ended.
  @usableFromInline
  package mutating func endWaiterJoined(_ endWaiter: Waiter) -> Bool {
    if isFinished { return false }
    endWaiter.next = endWaiters
    unsafe endWaiters?.previous = endWaiter
    endWaiters = endWaiter
    endWaitersInList += 1
    return true
  }

  /// The number of waiters that wait only for the end.
  package var endWaiterCount: Int { Int(endWaitersInList) }

  /// Returns the newest waiter for the end that satisfies `condition`.
  package func firstEndWaiter(where condition: (Waiter) -> Bool) -> Waiter? {
    var rest = endWaiters
    while let endWaiter = rest, !condition(endWaiter) { rest = endWaiter.next }
    return rest
  }

  /// `endWaiter` no longer waits. Returns false if it was not waiting, or if the cell has ended. If the cell has ended,
  /// the thread that ended it wakes `endWaiter`, or has done so.
  @usableFromInline
  package mutating func endWaiterLeft(_ endWaiter: Waiter) -> Bool {
    if isFinished { return false }
    let (next, previous) = unsafe (endWaiter.next, endWaiter.previous)
    guard previous != nil || endWaiters === endWaiter else { return false }
    unsafe next?.previous = previous
    if let previous { previous.next = next } else { endWaiters = next }
    endWaiter.next = nil
    unsafe endWaiter.previous = nil
    endWaitersInList -= 1
    return true
  }
}

// MARK: - Readers

extension Roster {
  /// A reader has taken its position, and is counted from here on.
  @usableFromInline
  package mutating func readerJoined() {
    readers += 1
  }

  /// Readers have given up their positions.
  @usableFromInline
  package mutating func readersLeft(_ count: Int = 1) {
    readers -= count
  }

  /// Returns whether a reader that has seen `version` must wait: it has seen all updates, and the cell has not ended.
  package func isIdle(at version: UInt64) -> Bool {
    version == self.version && !isFinished
  }

  /// `reader` has seen everything, and waits for the next update.
  package mutating func parked(_ reader: Waiter) {
    idle.append(reader)
  }

  /// `reader` no longer waits. Returns false if it was not parked: it is away, or a writer is about to wake it.
  package mutating func unparked(_ reader: Waiter) -> Bool {
    idle.remove(reader)
  }

  /// Whether readers are parked.
  @inlinable package var hasParkedReaders: Bool { idle.first != nil }

  /// The reader that has been parked for the longest time; nil if no reader is parked.
  @inlinable package var firstParked: Waiter? { idle.first }

  /// Returns whether `reader` is parked.
  package func isParked(_ reader: Waiter) -> Bool {
    idle.contains(reader)
  }

  /// `waiter` waits for the next write on behalf of the parked readers of another cell. Does nothing if `waiter` waits
  /// already, or if the cell has ended, because then no write follows.
  package mutating func inputWaiterParked(_ waiter: Waiter) {
    if !isFinished, !idle.contains(waiter) { idle.append(waiter) }
  }

  /// A cell with readers follows this one from here on.
  @usableFromInline
  package mutating func followerJoined(_ follower: AnyCell) {
    followers[ObjectIdentifier(follower)] = follower
  }

  /// A cell has lost its last reader, and no longer follows this one.
  @usableFromInline
  package mutating func followerLeft(_ follower: ObjectIdentifier) {
    followers[follower] = nil
  }

  /// A lane or the reader of a relay serves readers of this cell from here on. If there is a lane with the same key,
  /// its actor has died, and another actor has the same address now: `deliverer` takes the place of that lane.
  package mutating func delivererJoined(_ deliverer: Waiter, _ key: ContextKey) {
    delivererTable.insert(deliverer, key)
    if key == .cell { hostLane = deliverer }
  }

  /// A lane or the reader of a relay serves no reader any more. Another lane may have taken its place already.
  package mutating func delivererLeft(_ deliverer: Waiter, _ key: ContextKey) {
    delivererTable.remove(deliverer, key)
    if hostLane === deliverer { hostLane = nil }
  }

  /// An observation has begun, and is counted among the readers of this cell or of a cell that this cell feeds. Returns
  /// whether it is time to look for dead owners.
  ///
  /// It is time when the number of observations that have begun since the last look is larger than 64, and also larger
  /// than the number of older readers. So dead observations never outnumber the living ones by more than a constant
  /// factor, even if no writer writes. Observations in the cells that this cell feeds count here too: there may be many
  /// such cells, and each of them looks only for its own dead observations. While there has been no owner, there is
  /// nothing to look for.
  ///
  /// - Parameter mayLoseOwner: Whether the observation has an owner, or runs on an actor, which may die unnoticed.
  package mutating func observationJoined(mayLoseOwner: Bool = true) -> Bool {
    hasHadOwners = hasHadOwners || mayLoseOwner
    joinedSinceSweep += 1
    let joined = Int(joinedSinceSweep)
    guard joined > max(64, readers + followers.count - joined) else { return false }
    joinedSinceSweep = 0
    return hasHadOwners
  }
}

// MARK: - Claims

extension Roster {
  /// A writer has lost several races, and asks for a claim. Returns false if another thread has the claim.
  package mutating func claimed(_ claim: Claim) -> Bool {
    var claim = claim
    if let former = self.claim {
      guard former.thread == claim.thread else { return false }
      claim.ownWrites = former.ownWrites
    }
    self.claim = claim
    return true
  }

  /// The thread that has the claim has made another write, besides the attempts of its `modify`. Returns the number of
  /// its other writes.
  mutating func claimantWrote() -> Int {
    guard let claim else { return 0 }
    // The claim may last for billions of writes.
    if claim.ownWrites < .max { self.claim?.ownWrites += 1 }
    return Int(claim.ownWrites) + 1
  }

  /// The write of `thread` is over, and so is the claim of `thread`, if it has one.
  mutating func claimEnded(of thread: UInt) {
    if claim?.thread == thread { claim = nil }
  }
}
