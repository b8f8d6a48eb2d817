internal import Synchronization

/// Brings the cell of a combination up to date: no user code writes that cell, and it holds what several cells held at
/// one instant.
///
/// It does nothing until a reader looks. A reader that is about to read the cell, or to park in it, first has the
/// junction bring the cell up to date, in the same step. So a writer pays for no reader that is busy. When a reader
/// parks, the junction parks a `Feeder` in each of the cells that it follows. The next writer of one of them finds the
/// feeder there, brings the combination up to date and wakes the parked readers. So backlogs, lanes and passes work for
/// this cell as for any other.
///
/// `FollowerState` says what the junction keeps for its readers: nothing, the newest value, or a position in the log of
/// each cell, where each instant becomes one version. The steps of the junction are:
///
/// ### Transitions
/// | event | before the step, under the lock | after it |
/// |---|---|---|
/// | a reader joins | it attaches; begins the history if the reader wants more than the newest value; is brought up to date | – |
/// | a reader looks | is brought up to date, if it is attached | – |
/// | a writer feeds | is brought up to date, if a reader is parked or it is eager | – |
/// | a reader leaves | nothing | ends the history, or detaches, if no reader needs it |
///
/// The junction reads a long history in portions. It releases the lock between two portions, and takes the step after
/// the last one.
// @unchecked: the lock of the cell that the junction brings up to date guards all variables, except the atomic `found`.
// So the variables need no check of overlapping accesses.
@usableFromInline
package class AnyJunction: Upstream, @unchecked Sendable {
  /// The cells that the junction follows.
  @usableFromInline final let group: CellGroup
  // The positions in these cells, in the order in which the combination names them.
  private final let inputs: [AnyJunctionInput]
  /// Whether readers compare the instants at which the cells were written.
  @usableFromInline final let isOrdered: Bool

  private final var feeders: [Feeder] = []
  @exclusivity(unchecked) @usableFromInline final var follower = FollowerState()
  // The sum of the versions that the last look found; nil if the next look must count as new.
  private final var versions: UInt64?

  // The sum of the horizons that the last look found. Readers may compare it without the lock.
  private final let found = Atomic(UInt64.max)

  /// What the caller must release, and wake, after the lock.
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
  init(_ group: CellGroup, _ inputs: [AnyJunctionInput], isOrdered: Bool, run: @escaping Run) {
    self.group = group
    self.inputs = inputs
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

  final override func read(_ cell: AnyCell, for purpose: Purpose, _ step: (inout Roster) -> Void) {
    if case .joining = purpose {
      for source in group.cells { source.upstream?.willBeFollowed(source) }
    }
    run(self, cell, purpose, step)
  }

  /// Wakes the readers and tells the followed cells. Called after the lock.
  @usableFromInline
  final func act(on leftovers: consuming Leftovers) {
    if let woken = leftovers.woken { Woken(first: woken).wake() }
    if leftovers.isFollowingChanged {
      for source in group.cells { source.upstream?.followersChanged(source) }
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

  /// Looks at all cells at one instant. With a history, it notes how far the cells have come; otherwise it calls `take`
  /// if they hold anything new. If they hold nothing new, or the junction is eager, it parks the feeders in the same
  /// step, because a reader may be about to park too.
  @usableFromInline
  final func readInputs(beginsHistory: Bool, take: () -> Void) -> Goal {
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
        inputs.forEach { $0.noteCut() }
      } else if isNew {
        take()
      }
      if beginsHistory { inputs.forEach { $0.beginHistory() } }
      return Goal(cuts: inputs.reduce(0) { $0 &+ $1.cut }, isEnd: isEnd)
    }
  }

  /// What the first look of one step found, and what the junction must read before it takes the step. The junction
  /// leaves what is written after that look to the next step. So no step lasts as long as writers go on.
  @usableFromInline
  struct Goal: Sendable {
    /// The sum of the versions up to which the junction must read the history.
    fileprivate let cuts: UInt64
    /// Whether all cells had ended.
    @usableFromInline let isEnd: Bool
  }

  /// Returns whether history up to `goal` is unread. The junction reads updates in the order of their instants, so the
  /// sums tell.
  @usableFromInline
  final func isBehind(_ goal: Goal) -> Bool {
    Int64(bitPattern: goal.cuts &- inputs.reduce(0) { unsafe $0 &+ $1.seen }) > 0
  }

  /// Advances to the next instant at which one of the cells was written, up to the last look. Returns false if there is
  /// none.
  @usableFromInline
  final func advance() -> Bool {
    var first: Instant?
    for input in inputs {
      if let instant = input.nextInstant { first = min(first ?? instant, instant) }
    }
    guard let first else { return false }
    for input in inputs { unsafe input.advance(through: first, &leftovers.nodes) }
    return true
  }

  @usableFromInline
  final func endHistory() {
    unsafe leftovers.isFollowingChanged = true
    // The last look left what it found to the history, and some of that is unread. So the next look must take it.
    if inputs.contains(where: { unsafe $0.seen != $0.cut }) { forget() }
    group.locked {
      for input in inputs { unsafe input.endHistory(&leftovers.nodes) }
    }
  }

  @usableFromInline
  final func attach(_ cell: AnyCell) {
    unsafe follower.attached()
    unsafe leftovers.isFollowingChanged = true
    if feeders.isEmpty { feeders = group.cells.map { Feeder(from: $0, to: cell) } }
    group.locked {
      if isOrdered { inputs.forEach { $0.beginOrder() } }
      for source in group.cells { unsafe source.storedRoster.junctions[ObjectIdentifier(cell)] = cell }
    }
  }

  @usableFromInline
  final func detach(_ cell: AnyCell) {
    unsafe leftovers.isFollowingChanged = true
    group.locked {
      if isOrdered { inputs.forEach { $0.endOrder() } }
      feeders.forEach { $0.leave() }
      for source in group.cells { unsafe source.storedRoster.junctions[ObjectIdentifier(cell)] = nil }
    }
    // A feeder that a writer has taken already, and is about to run, finds no parked reader.
    feeders = []
  }

  /// The largest number of instants that the junction reads in one hold of the lock.
  @inlinable package static var longestPortion: Int { 256 }

  /// Forgets what the last look found: the next look counts as new.
  @usableFromInline
  final func forget() {
    versions = nil
    found.store(.max, ordering: .relaxed)
  }
}
