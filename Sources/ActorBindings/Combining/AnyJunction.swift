internal import Synchronization

/// Brings the cell of a combination up to date: no user writes it, and it holds what several cells held at one instant.
///
/// It does nothing until a reader looks. A reader that is about to read the cell, or to park in it, first has it brought
/// up to date, in the same step; so a writer pays for no reader that is busy. When a reader parks, a `Feeder` is parked
/// in each of the cells that are followed. The next writer of one of them finds the feeder there, brings the cell up to
/// date and wakes the parked readers. So backlogs, lanes and rounds work for this cell as for any other.
///
/// `FollowerState` says what it keeps for its readers: nothing, the newest value, or a place in the log of each cell, where
/// each instant becomes one version. Its steps are these.
///
/// ### Transitions
/// | event | before the step, under the lock | after it |
/// |---|---|---|
/// | a reader joins | it attaches; begins the history if the reader wants more than the newest value; is brought up to date | – |
/// | a reader looks | is brought up to date, if it is attached | – |
/// | a writer feeds | is brought up to date, if a reader is parked or it is eager | – |
/// | a reader leaves | nothing | ends the history, or detaches, if no reader needs it |
///
/// A long history is read in portions: the lock is released between them, and the step is taken after the last one.
// @unchecked: everything is guarded by the lock of the cell that is brought up to date. So the variables need not be
// checked for overlapping accesses.
@usableFromInline
package class AnyJunction: Inflow, @unchecked Sendable {
  /// The cells that are followed.
  @usableFromInline final let group: CellGroup
  // Where it stands in them: in the order in which they were named.
  private final let stands: [AnyStand]
  /// Its readers compare when its cells were written.
  @usableFromInline final let isOrdered: Bool

  private final var feeders: [Feeder] = []
  @exclusivity(unchecked) @usableFromInline final var follower = FollowerState()
  // The sum of the versions that were found.
  private final var versions: UInt64?

  // The sum of the horizons that were found by the last look. It may be compared without the lock.
  private final let found = Atomic(UInt64.max)

  /// To be released, and woken, after the lock.
  @usableFromInline
  struct Leftovers: Sendable {
    @usableFromInline var nodes: [AnyLogNode] = []
    @usableFromInline var woken: Waiter?
    @usableFromInline var isFollowingChanged = false

    @inlinable
    init() {}

    @inlinable
    mutating func add(_ others: Woken) { others.add(to: &woken) }
  }

  @exclusivity(unchecked) @usableFromInline final var leftovers = Leftovers()

  @usableFromInline typealias Run = @Sendable (AnyJunction, AnyCell, Purpose, (inout Roster) -> Void) -> Void
  // A stored function, because a method that is found through a generic class's table is not specialized.
  private final let run: Run

  @usableFromInline
  init(_ group: CellGroup, _ stands: [AnyStand], isOrdered: Bool, run: @escaping Run) {
    self.group = group
    self.stands = stands
    self.isOrdered = isOrdered
    self.run = run
    super.init()
  }

  final override var sources: [AnyCell]? { group.cells }

  final override var isJoint: Bool { true }

  @usableFromInline package final override var isPulled: Bool { true }

  @usableFromInline
  package final override var isStale: Bool {
    let sum = group.cells.reduce(0) { $0 &+ $1.horizon.rawValue }
    return sum != found.load(ordering: .relaxed)
  }

  final override func locked(_ cell: AnyCell, for purpose: Purpose, _ step: (inout Roster) -> Void) {
    if case .joining = purpose {
      for source in group.cells { source.inflow?.willBeFollowed(source) }
    }
    run(self, cell, purpose, step)
  }

  /// After the lock.
  @usableFromInline
  final func act(on leftovers: consuming Leftovers) {
    if let woken = leftovers.woken { Woken(first: woken).wake() }
    if leftovers.isFollowingChanged {
      for source in group.cells { source.inflow?.followersChanged(source) }
    }
  }
}

// MARK: - Under the lock

extension AnyJunction {
  @inlinable
  final func takeLeftovers() -> Leftovers {
    defer { unsafe leftovers = Leftovers() }
    return unsafe leftovers
  }

  /// Looks at all cells at one instant, and has `take` what they hold if that is new and each update does not count
  /// anyway. If there is nothing new it parks the feeders in the same step, for a reader may be about to park too.
  @usableFromInline
  final func look(beginsHistory: Bool, take: () -> Void) -> Goal {
    group.locked {
      var (versions, horizons, isEnd) = (UInt64(0), UInt64(0), true)
      for cell in group.cells {
        let horizon = unsafe cell.storedRoster.horizon
        versions &+= horizon.version
        horizons &+= horizon.rawValue
        isEnd = isEnd && horizon.isFinished
      }
      let isNew = versions != self.versions
      self.versions = versions
      found.store(horizons, ordering: .relaxed)
      if unsafe follower.isAttached, unsafe !isNew || follower.isEager { feeders.forEach { $0.park() } }
      if unsafe follower.hasHistory {
        stands.forEach { $0.noteCut() }
      } else if isNew {
        take()
      }
      if beginsHistory { stands.forEach { $0.beginHistory() } }
      return Goal(cuts: stands.reduce(0) { $0 &+ $1.cut }, isEnd: isEnd)
    }
  }

  /// What was found at the first look of one step, and must be read before the step is taken. What is written after that
  /// look is left to the next step, so that no step lasts as long as writers go on.
  @usableFromInline
  struct Goal: Sendable {
    /// The sum of the versions up to which the history is to be read.
    fileprivate let cuts: UInt64
    /// All cells had ended.
    @usableFromInline let isEnd: Bool
  }

  /// Returns whether history up to `goal` is unread. Updates are read in the order of their instants, so the sums tell.
  @usableFromInline
  final func isBehind(_ goal: Goal) -> Bool {
    Int64(bitPattern: goal.cuts &- stands.reduce(0) { unsafe $0 &+ $1.seen }) > 0
  }

  /// Goes on to the next instant at which one of the cells was written, up to the last look. False if there is none.
  @usableFromInline
  final func advance() -> Bool {
    var first: Instant?
    for stand in stands {
      if let instant = stand.nextInstant { first = min(first ?? instant, instant) }
    }
    guard let first else { return false }
    for stand in stands { unsafe stand.advance(through: first, &leftovers.nodes) }
    return true
  }

  @usableFromInline
  final func endHistory() {
    unsafe leftovers.isFollowingChanged = true
    // The last look has left what it found to the history, so the next one must take it.
    if stands.contains(where: { unsafe $0.seen != $0.cut }) { forget() }
    group.locked {
      for stand in stands { unsafe stand.endHistory(&leftovers.nodes) }
    }
  }

  @usableFromInline
  final func attach(_ cell: AnyCell) {
    unsafe follower.attached()
    unsafe leftovers.isFollowingChanged = true
    if feeders.isEmpty { feeders = group.cells.map { Feeder(from: $0, to: cell) } }
    group.locked {
      if isOrdered { stands.forEach { $0.beginOrder() } }
      for source in group.cells { unsafe source.storedRoster.junctions[ObjectIdentifier(cell)] = cell }
    }
  }

  @usableFromInline
  final func detach(_ cell: AnyCell) {
    unsafe leftovers.isFollowingChanged = true
    group.locked {
      if isOrdered { stands.forEach { $0.endOrder() } }
      feeders.forEach { $0.leave() }
      for source in group.cells { unsafe source.storedRoster.junctions[ObjectIdentifier(cell)] = nil }
    }
    // A feeder that a writer has taken already, and is about to run, finds no parked reader.
    feeders = []
  }

  /// How many instants are read while the lock is held.
  @inlinable package static var longestPortion: Int { 256 }

  /// Nothing is known of what was found.
  @usableFromInline
  final func forget() {
    versions = nil
    found.store(.max, ordering: .relaxed)
  }
}
