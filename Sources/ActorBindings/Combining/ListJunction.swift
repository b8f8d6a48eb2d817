internal import Synchronization

/// Brings the joint cell of a list of sources up to date. That cell holds what the cells of all sources held at one
/// instant.
///
/// The problem: a `Junction` looks at all its cells to find those that were written. With n cells each write would
/// cost n steps. So here each writer notes its write under the lock of its cell (`ListMarks`), and a look takes only
/// the locks of the cells that were noted. A writer notes its write before it releases the lock, and a transaction
/// notes all its writes before it releases any lock. So if a look holds the locks of all cells that are noted, the
/// other cells still hold what the joint cell shows: it shows one instant.
///
/// While a look waits for a lock, writers may note other cells. Then the look begins again with these cells too,
/// because a transaction may have written them together with the first ones. After a few attempts it takes all locks.
/// So a look costs n steps only if other threads go on writing other cells meanwhile.
///
/// Apart from this, the junction works as a `Junction` does, and `FollowerState` and `FollowerStep` decide. An input
/// that a writer has woken parks again when a reader is about to park. So a write to a cell wakes its input at most
/// once before the readers look.
///
/// ### History
/// If a reader wants more than the newest value, each write is noted. A look groups the notes by their instants, and
/// the junction shows one instant after the other. The order of the groups is that of their first notes. Two writes
/// of which neither call returned before the other began may be noted in another order than that of their instants.
/// Then other combinations may show them in the other order.
///
/// ### Locks
/// As with a `Junction`: the joint cell first, then the cells by their addresses, and the lock of the marks last.
// @unchecked: the lock of the joint cell guards the variables, except the atomic `found`.
package final class ListJunction<Value: Sendable>: ViewUpstream<JointList<Value>>, @unchecked Sendable {
  typealias List = JointList<Value>

  let views: [JunctionView<Value>]
  // One for each cell of `group`, in the same order.
  let listSources: [ListSource]
  let group: CellGroup
  let marks = ListMarks()
  private let isOrdered: Bool

  var follower = FollowerState()
  var inputs: [ListInput] = []
  /// The inputs that writers have woken, and that have not parked again.
  var awake: [ListInput] = []
  /// Inputs whose newest values the joint cell does not show, because a history ended before it was read.
  var unshown: [ListInput] = []
  /// With history: the instants that are not shown yet.
  var instants = ListInstants()
  var endedCount = 0
  /// The number of locks of cells that this junction has taken. For tests.
  package private(set) var lockCount = 0
  /// The number of writes ever noted. For tests.
  package var markCount: UInt64 { marks.addedCount }
  var leftovers = Leftovers()

  // The number of marks that were added before the last look. A reader compares it without the lock.
  let found = Atomic(UInt64.max)

  /// What the caller must release, and the readers that the caller must wake, after the lock.
  struct Leftovers: Sendable {
    var passed = PassedHistory()
    var woken: Waiter?
    var isFollowingChanged = false
    var old: [List] = []
    var inputs: [ListInput] = []
  }

  init(_ cells: [some JunctionViewable<Value>], isOrdered: Bool) {
    var counted = CountedCells()
    let views = cells.map { $0.junctionView(&counted) }
    self.views = views
    self.isOrdered = isOrdered
    group = CellGroup(views.flatMap { $0.inputs.map(\.cell) })
    listSources = Self.sources(group, views)
    super.init { _, counted in
      let views = cells.map { $0.junctionView(&counted) }
      return JunctionView(inputs: views.flatMap(\.inputs)) { time, former in
        let items = views.enumerated().map { $1.takeSnapshot(time, former?.value?.items[$0]) }
        return Snapshot(
          JointList(items),
          version: items.reduce(0) { $0 &+ $1.version },
          at: items.map(\.instant).max() ?? .unordered
        )
      }
    }
  }

  private static func sources(_ group: CellGroup, _ views: [JunctionView<Value>]) -> [ListSource] {
    var sources = group.cells.map { ListSource($0) }
    for (index, view) in views.enumerated() {
      var seen: Set<ObjectIdentifier> = []
      for input in view.inputs {
        guard let place = group.index(of: input.cell) else { continue }
        sources[place].positions.append(input)
        guard seen.insert(ObjectIdentifier(input.cell)).inserted else { continue }
        sources[place].elements.append(index)
        if view.inputs.count > 1 { sources[place].group += view.inputs.map(\.cell) }
      }
    }
    return sources
  }

  override var sources: [AnyCell]? { group.cells }

  override var isJoint: Bool { true }

  override var comparesInstants: Bool { isOrdered }

  @usableFromInline package override var isPulled: Bool { true }

  @usableFromInline
  package override var isStale: Bool { marks.addedCount != found.load(ordering: .relaxed) }

  @usableFromInline
  override var current: JointList<Value>? { group.locked { List(views.map { $0.takeSnapshot(.now, nil) }) } }

  package override func keptUpdates(in source: AnyCell, for cell: AnyCell) -> KeptUpdates? {
    cell.locked { _ in keptUpdatesWhileLocked(in: source) }
  }

  private func keptUpdatesWhileLocked(in source: AnyCell) -> KeptUpdates? {
    KeptUpdates(whileLocked: group.index(of: source).map { listSources[$0].positions } ?? [])
  }

  override func read(_ cell: AnyCell, for purpose: Purpose, _ step: (inout Roster) -> Void) {
    if case .joining = purpose {
      for source in group.cells { source.upstream?.willBeFollowed(source) }
    }
    takeStep(in: unsafe unsafeDowncast(cell, to: Cell<List>.self), for: purpose, step)
  }

  override func inputWoken(_ input: Waiter, _ cell: AnyCell) {
    let input = unsafe unsafeDowncast(input, to: ListInput.self)
    takeStep(in: unsafe unsafeDowncast(cell, to: Cell<List>.self), for: .refreshing, woken: input) { _ in }
  }

  private func takeStep(
    in cell: Cell<List>,
    for purpose: Purpose,
    woken: ListInput? = nil,
    _ body: (inout Roster) -> Void
  ) {
    var (step, goal, woken) = (FollowerStep(for: purpose), Int?.none, woken)
    while step.phase != .done {
      var leftovers = cell.locked { holdWhileLocked(&step, &goal, woken, cell, &$0, &$1, body) }
      woken = nil
      // Releases the replaced values only after it has woken the readers: a `deinit` is user code, and may take long.
      act(on: &leftovers)
      withExtendedLifetime(leftovers) {}
    }
  }

  func locked<Result: Sendable>(_ group: CellGroup, _ step: () -> Result) -> Result {
    lockCount += group.cells.count
    return group.locked(step)
  }

  private func act(on leftovers: inout Leftovers) {
    if let woken = leftovers.woken { Woken(first: woken).wake() }
    if leftovers.isFollowingChanged {
      for source in group.cells { source.upstream?.followersChanged(source) }
    }
    leftovers.passed.clear()
  }
}

/// The instants that a list junction has not shown yet, in the order in which it shows them.
struct ListInstants: Sendable {
  /// The writes of one instant.
  struct Group: Sendable {
    let instant: LogicalInstant
    var inputs: [ListInput]
  }

  private var groups: [Group] = []
  private var shownHere = 0
  /// The number of instants ever shown.
  private(set) var shownCount = 0

  /// The number of instants ever added.
  var addedCount: Int { shownCount + groups.count - shownHere }

  var isEmpty: Bool { shownHere == groups.count }

  /// Adds the writes of these marks. The marks of one instant, of which there may be several, are added in one call.
  mutating func add(_ marks: [ListMark]) {
    var places: [LogicalInstant: Int] = [:]
    for mark in marks {
      if let place = places[mark.instant] {
        groups[place].inputs.append(mark.input)
      } else {
        places[mark.instant] = groups.count
        groups.append(Group(instant: mark.instant, inputs: [mark.input]))
      }
    }
  }

  mutating func removeFirst() -> Group {
    let group = groups[shownHere]
    shownHere += 1
    shownCount += 1
    // Amortized: each group is moved at most once for each time that as many were shown.
    if shownHere * 2 > groups.count {
      groups.removeFirst(shownHere)
      shownHere = 0
    }
    return group
  }

  mutating func removeAll() -> [ListInput] {
    let rest = groups[shownHere...].flatMap(\.inputs)
    shownCount += groups.count - shownHere
    (groups, shownHere) = ([], 0)
    return rest
  }
}
