internal import Synchronization

/// Brings a cell up to date that nobody writes: it holds what several others held at one instant.
///
/// It does nothing until somebody looks. Whoever is about to read the cell, or to park in it, first has it brought up
/// to date, in the same step; so a writer pays for no reader that is busy. When somebody parks, a `Feeder` is parked
/// in each of the cells that are followed, and the next writer of one of them, finding it there, brings the cell up to
/// date and wakes whoever has parked. So whatever is said of cells holds for this one: backlogs, lanes, rounds.
///
/// ### States
/// - *detached*: nobody reads. It holds no value, and the cells that it follows do not know it.
/// - *attached*: it has readers. The cells know it, for `settled()` and for what they count.
///   - *with history*: some of the readers want more than the newest value. It has a place in the log of each cell,
///     and each instant becomes one version.
///   - *eager*: nobody wants all, so nothing may pile up in these logs: each writer brings it up to date.
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
  @exclusivity(unchecked) @usableFromInline final var isAttached = false
  @exclusivity(unchecked) @usableFromInline final var hasHistory = false
  @exclusivity(unchecked) @usableFromInline final var isEager = false
  // The sum of the versions that were found.
  private final var versions: UInt64?

  // The sum of the horizons that were found by the last look. Anybody may compare.
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
    mutating func add(_ others: Woken) {
      if woken == nil { woken = others.first }
    }
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
  /// anyway. If there is nothing new it parks the feeders in the same step, for somebody may be about to park too.
  ///
  /// - Returns: Whether they have all ended.
  @usableFromInline
  final func look(beginsHistory: Bool, take: () -> Void) -> Bool {
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
      if unsafe isAttached, unsafe !isNew || isEager { feeders.forEach { $0.park() } }
      if unsafe hasHistory {
        stands.forEach { $0.noteCut() }
      } else if isNew {
        take()
      }
      if beginsHistory { stands.forEach { $0.beginHistory() } }
      return isEnd
    }
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
    unsafe hasHistory = false
    unsafe leftovers.isFollowingChanged = true
    group.locked {
      for stand in stands { unsafe stand.endHistory(&leftovers.nodes) }
    }
  }

  @usableFromInline
  final func attach(_ cell: AnyCell) {
    unsafe isAttached = true
    unsafe leftovers.isFollowingChanged = true
    if feeders.isEmpty { feeders = group.cells.map { Feeder(from: $0, to: cell) } }
    group.locked {
      if isOrdered { stands.forEach { $0.beginOrder() } }
      for source in group.cells { unsafe source.storedRoster.junctions[ObjectIdentifier(cell)] = cell }
    }
  }

  @usableFromInline
  final func detach(_ cell: AnyCell) {
    unsafe isAttached = false
    unsafe leftovers.isFollowingChanged = true
    group.locked {
      if isOrdered { stands.forEach { $0.endOrder() } }
      feeders.forEach { $0.leave() }
      for source in group.cells { unsafe source.storedRoster.junctions[ObjectIdentifier(cell)] = nil }
    }
    // One that was taken and is on its way finds nobody.
    feeders = []
  }

  /// Nothing is known of what was found.
  @usableFromInline
  final func forget() {
    versions = nil
    found.store(.max, ordering: .relaxed)
  }
}

/// Brings a cell of `Value` up to date.
@usableFromInline
package final class Junction<Value: Sendable>: AnyJunction, @unchecked Sendable {
  @usableFromInline typealias MakePart = @Sendable (_ counted: inout Set<ObjectIdentifier>) -> Part<Value>

  @usableFromInline let part: Part<Value>
  @usableFromInline let empty: Value
  /// A part that shows the same, for a junction that follows more. The cells that are `counted` already are not counted
  /// again.
  @usableFromInline let makePart: MakePart

  // What was replaced: to be released after the lock.
  @exclusivity(unchecked) @usableFromInline var old: Value?
  @exclusivity(unchecked) @usableFromInline var older: [Value] = []

  @inlinable
  init(_ group: CellGroup, empty: Value, isOrdered: Bool, makePart: @escaping MakePart) {
    self.empty = empty
    self.makePart = makePart
    var counted: Set<ObjectIdentifier> = []
    let part = makePart(&counted)
    self.part = part
    super.init(group, part.stands, isOrdered: isOrdered) { junction, cell, purpose, step in
      let junction = unsafe unsafeDowncast(junction, to: Junction<Value>.self)
      let cell = unsafe unsafeDowncast(cell, to: Cell<Value>.self)
      junction.run(cell, for: purpose, step)
    }
  }

  @inlinable
  func run(_ cell: Cell<Value>, for purpose: Purpose, _ step: (inout Roster) -> Void) {
    let (leftovers, old, older) = cell.lock.withLock {
      unsafe prepare(cell, for: purpose, &cell.storedState, &cell.storedRoster)
      unsafe step(&cell.storedRoster)
      unsafe settle(cell, &cell.storedState, &cell.storedRoster)
      return unsafe (takeLeftovers(), self.old.take(), takeOlder())
    }
    act(on: leftovers)
    _ = consume old
    _ = consume older
  }

  @inlinable
  func takeOlder() -> [Value] {
    if unsafe older.isEmpty { return [] }
    defer { unsafe older = [] }
    return unsafe older
  }

  /// What is shown now, without anybody who reads.
  var snapshot: Shown<Value> {
    group.locked { part.show(.now) }
  }
}

// MARK: - Under the lock

extension Junction {
  @inlinable
  func prepare(
    _ cell: Cell<Value>,
    for purpose: Purpose,
    _ state: inout CellState<Value>,
    _ roster: inout Roster
  ) {
    switch purpose {
    case .leaving: return
    case .feeding: if unsafe roster.idle.first == nil && !isEager { return }
    // Who comes late finds nobody who would let go of what was looked up.
    case .looking: if unsafe !isAttached { return }
    case .joining(let depth):
      // Before the look: what is written after it has its instant.
      if unsafe !isAttached { attach(cell) }
      if depth > 1, unsafe !hasHistory { return refresh(cell, &state, &roster, beginsHistory: true) }
    }
    refresh(cell, &state, &roster)
  }

  @inlinable
  func refresh(
    _ cell: Cell<Value>,
    _ state: inout CellState<Value>,
    _ roster: inout Roster,
    beginsHistory: Bool = false
  ) {
    if roster.isFinished { return }
    var newest: Shown<Value>?
    let isEnd = look(beginsHistory: beginsHistory) { newest = part.show(.now) }
    if let newest { publish(newest, &state, &roster) }
    while unsafe hasHistory, advance() { publish(part.show(.passed), &state, &roster) }
    if beginsHistory {
      unsafe hasHistory = true
      unsafe leftovers.isFollowingChanged = true
    }
    if isEnd { unsafe leftovers.add(roster.finish()) }
    cell.publish(roster.horizon)
  }

  @inlinable
  func publish(_ shown: Shown<Value>, _ state: inout CellState<Value>, _ roster: inout Roster) {
    guard var value = shown.value,
      case .published(let woken, let outdated) = state.sent(&value, by: .impatient, &roster)
    else { return }
    add(value)
    unsafe leftovers.add(woken)
    if let outdated { unsafe leftovers.nodes.append(outdated) }
  }

  @inlinable
  func add(_ value: Value) {
    if unsafe old == nil { unsafe old = value } else { unsafe older.append(value) }
  }

  // Who has come and who has gone decides what it follows from here on.
  @inlinable
  func settle(_ cell: Cell<Value>, _ state: inout CellState<Value>, _ roster: inout Roster) {
    if unsafe hasHistory, !state.keepsHistory { endHistory() }
    let isRead = roster.readers > 0 || state.keepsHistory
    if isRead, unsafe !isAttached { attach(cell) }
    if !isRead, unsafe isAttached {
      detach(cell)
      // Nothing is looked up any more once it has finished: who comes later gets the last value.
      if !roster.isFinished {
        forget()
        var value = empty
        swap(&state.value, &value)
        add(value)
      }
    }
    let wasEager = unsafe isEager
    unsafe isEager = hasHistory && state.logReaders == 0
    // What has piled up for those who wanted all is passed too.
    if unsafe isEager, !wasEager { refresh(cell, &state, &roster) }
  }
}
