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
// @unchecked: everything is guarded by the lock of the cell that is brought up to date.
@usableFromInline
package class AnyJunction: Inflow, @unchecked Sendable {
  /// The cells that are followed.
  final let group: CellGroup
  final var feeders: [Feeder] = []
  final var isAttached = false

  // The sum of the horizons that were found by the last look. Anybody may compare.
  final let found = Atomic(UInt64.max)

  init(_ group: CellGroup) {
    self.group = group
    super.init()
  }

  final override var sources: [AnyCell]? { group.cells }

  @usableFromInline
  package final override var isStale: Bool {
    let sum = group.cells.reduce(0) { $0 &+ $1.horizon.rawValue }
    return sum != found.load(ordering: .relaxed)
  }
}

/// Brings a cell of `Value` up to date.
@usableFromInline
package final class Junction<Value: Sendable>: AnyJunction, @unchecked Sendable {
  private let part: Part<Value>
  private let empty: Value
  // Its readers compare when its cells were written.
  private let isOrdered: Bool
  /// A part that shows the same, for a junction that follows more. Those of the cells that `isCounted` are counted
  /// elsewhere.
  let makePart: @Sendable (_ counted: inout Set<ObjectIdentifier>) -> Part<Value>

  private var hasHistory = false
  private var isEager = false
  // The sum of the versions that were found.
  private var versions: UInt64?

  // To be released, and woken, after the lock.
  private var leftovers = Leftovers()

  private struct Leftovers: Sendable {
    var old: Value?
    var older: [Value] = []
    var nodes: [AnyLogNode] = []
    var woken = Woken(first: nil)
    var isFollowingChanged = false

    mutating func add(_ value: Value) {
      if old == nil { old = value } else { older.append(value) }
    }

    mutating func add(_ others: Woken) {
      if woken.first == nil { woken = others }
    }
  }

  init(
    _ group: CellGroup,
    empty: Value,
    isOrdered: Bool,
    makePart: @escaping @Sendable (_ counted: inout Set<ObjectIdentifier>) -> Part<Value>
  ) {
    self.empty = empty
    self.isOrdered = isOrdered
    self.makePart = makePart
    var counted: Set<ObjectIdentifier> = []
    part = makePart(&counted)
    super.init(group)
  }

  override func locked(_ cell: AnyCell, for purpose: Purpose, _ step: (inout Roster) -> Void) {
    let cell = unsafe unsafeDowncast(cell, to: Cell<Value>.self)
    if case .joining = purpose {
      for source in group.cells { source.inflow?.willBeFollowed(source) }
    }
    let leftovers = cell.lock.withLock {
      unsafe prepare(cell, for: purpose, &cell.storedState, &cell.storedRoster)
      unsafe step(&cell.storedRoster)
      unsafe settle(cell, &cell.storedState, &cell.storedRoster)
      return takeLeftovers()
    }
    leftovers.woken.wake()
    if leftovers.isFollowingChanged {
      for source in group.cells { source.inflow?.followersChanged(source) }
    }
  }

  /// What is shown now, without anybody who reads.
  var snapshot: Shown<Value> {
    group.locked { part.look() }
  }

  private func takeLeftovers() -> Leftovers {
    defer { leftovers = Leftovers() }
    return leftovers
  }
}

// MARK: - Under the lock

extension Junction {
  private func prepare(
    _ cell: Cell<Value>,
    for purpose: Purpose,
    _ state: inout CellState<Value>,
    _ roster: inout Roster
  ) {
    switch purpose {
    case .leaving: return
    case .feeding: if roster.idle.first == nil, !isEager { return }
    // Who comes late finds nobody who would let go of what was looked up.
    case .looking: if !isAttached { return }
    case .joining(let depth):
      // Before the look: what is written after it has its instant.
      if !isAttached { attach(cell) }
      if depth > 1, !hasHistory { return refresh(cell, &state, &roster, beginsHistory: true) }
    }
    refresh(cell, &state, &roster)
  }

  // Looks at all cells at one instant. If there is nothing new it parks the feeders in the same step, for somebody may
  // be about to park too.
  private func refresh(
    _ cell: Cell<Value>,
    _ state: inout CellState<Value>,
    _ roster: inout Roster,
    beginsHistory: Bool = false
  ) {
    if roster.isFinished { return }
    let (newest, isEnd) = group.locked { () -> (Shown<Value>?, Bool) in
      let horizons = group.cells.map { unsafe $0.storedRoster.horizon }
      let versions = horizons.reduce(0) { $0 &+ $1.version }
      let isNew = versions != self.versions
      self.versions = versions
      found.store(horizons.reduce(0) { $0 &+ $1.rawValue }, ordering: .relaxed)
      if isAttached, !isNew || isEager { feeders.forEach { $0.park() } }
      let newest = isNew && !hasHistory ? part.look() : nil
      if hasHistory { part.noteCut() }
      if beginsHistory { part.beginHistory() }
      return (newest, horizons.allSatisfy(\.isFinished))
    }
    if let newest { publish(newest, &state, &roster) }
    while hasHistory, let instant = part.nextInstant {
      part.advance(through: instant, &leftovers.nodes)
      publish(part.shown, &state, &roster)
    }
    if beginsHistory {
      hasHistory = true
      leftovers.isFollowingChanged = true
    }
    if isEnd { leftovers.add(roster.finish()) }
    cell.publish(roster.horizon)
  }

  private func publish(_ shown: Shown<Value>, _ state: inout CellState<Value>, _ roster: inout Roster) {
    guard var value = shown.value,
      case .published(let woken, let outdated) = state.sent(&value, by: .impatient, &roster)
    else { return }
    leftovers.add(value)
    leftovers.add(woken)
    if let outdated { leftovers.nodes.append(outdated) }
  }

  // Who has come and who has gone decides what it follows from here on.
  private func settle(_ cell: Cell<Value>, _ state: inout CellState<Value>, _ roster: inout Roster) {
    if hasHistory, !state.keepsHistory {
      hasHistory = false
      leftovers.isFollowingChanged = true
      group.locked { part.endHistory(&leftovers.nodes) }
    }
    let isRead = roster.readers > 0 || state.keepsHistory
    if isRead, !isAttached { attach(cell) }
    if !isRead, isAttached { detach(cell, &state, roster) }
    let wasEager = isEager
    isEager = hasHistory && state.logReaders == 0
    // What has piled up for those who wanted all is passed too.
    if isEager, !wasEager { refresh(cell, &state, &roster) }
  }

  private func attach(_ cell: Cell<Value>) {
    isAttached = true
    leftovers.isFollowingChanged = true
    if feeders.isEmpty { feeders = group.cells.map { Feeder(from: $0, to: cell) } }
    group.locked {
      if isOrdered { part.beginOrder() }
      for source in group.cells { unsafe source.storedRoster.junctions[ObjectIdentifier(cell)] = cell }
    }
  }

  private func detach(_ cell: Cell<Value>, _ state: inout CellState<Value>, _ roster: Roster) {
    isAttached = false
    leftovers.isFollowingChanged = true
    group.locked {
      if isOrdered { part.endOrder() }
      feeders.forEach { $0.leave() }
      for source in group.cells { unsafe source.storedRoster.junctions[ObjectIdentifier(cell)] = nil }
    }
    // One that was taken and is on its way finds nobody.
    feeders = []
    // Nothing is looked up any more: who comes later gets the last value.
    if roster.isFinished { return }
    versions = nil
    found.store(.max, ordering: .relaxed)
    var value = empty
    swap(&state.value, &value)
    leftovers.add(value)
  }
}
