/// Brings a cell of `Value` up to date.
@usableFromInline
package final class Junction<Value: Sendable>: AnyJunction, @unchecked Sendable {
  @usableFromInline typealias MakeView =
    @Sendable (_ counted: inout Set<ObjectIdentifier>) -> JunctionView<Value>

  @usableFromInline let view: JunctionView<Value>
  @usableFromInline let empty: Value
  /// Makes a view that shows the same, for a junction that follows more cells. The new view does not count the cells in
  /// `counted` again.
  @usableFromInline let makeView: MakeView

  // Replaced values, to release after the lock.
  @exclusivity(unchecked) @usableFromInline var old: Value?
  @exclusivity(unchecked) @usableFromInline var older: [Value] = []

  @inlinable
  init(_ group: CellGroup, empty: Value, isOrdered: Bool, makeView: @escaping MakeView) {
    self.empty = empty
    self.makeView = makeView
    var counted: Set<ObjectIdentifier> = []
    let view = makeView(&counted)
    self.view = view
    super.init(group, view.inputs, isOrdered: isOrdered) { junction, cell, purpose, step in
      let junction = unsafe unsafeDowncast(junction, to: Junction<Value>.self)
      let cell = unsafe unsafeDowncast(cell, to: Cell<Value>.self)
      junction.takeStep(in: cell, for: purpose, step)
    }
  }

  @inlinable
  func takeStep(in cell: Cell<Value>, for purpose: Purpose, _ body: (inout Roster) -> Void) {
    var step = FollowerStep(for: purpose)
    var goal: Goal?
    while step.phase != .done {
      let released = cell.locked { holdWhileLocked(&step, &goal, cell, &$0, &$1, body) }
      // The replaced values are released after the readers are woken: a deinit of the user's may take long.
      withExtendedLifetime(released) { act(on: released.leftovers) }
    }
  }

  /// What one hold of the lock leaves to be done after it. The values are released with it.
  @usableFromInline
  struct Released: Sendable {
    @usableFromInline let leftovers: Leftovers
    @usableFromInline let old: Value?
    @usableFromInline let older: [Value]

    @inlinable
    init(leftovers: Leftovers, old: Value?, older: [Value]) {
      self.leftovers = leftovers
      self.old = old
      self.older = older
    }
  }

  @inlinable
  func takeOlderWhileLocked() -> [Value] {
    if unsafe older.isEmpty { return [] }
    defer { unsafe older = [] }
    return unsafe older
  }

  /// What the cells show now, even without a reader.
  var snapshot: Snapshot<Value> {
    group.locked { view.takeSnapshot(.now) }
  }
}

// MARK: - Under the lock

extension Junction {
  // One hold of the lock: as much of the step as one hold may do.
  @inlinable
  func holdWhileLocked(
    _ step: inout FollowerStep,
    _ goal: inout Goal?,
    _ cell: Cell<Value>,
    _ state: inout CellState<Value>,
    _ roster: inout Roster,
    _ body: (inout Roster) -> Void
  ) -> Released {
    proceedWhileLocked(&step, &goal, cell, &state, &roster, body)
    return unsafe Released(
      leftovers: takeLeftoversWhileLocked(),
      old: old.take(),
      older: takeOlderWhileLocked()
    )
  }

  @inlinable
  func proceedWhileLocked(
    _ step: inout FollowerStep,
    _ goal: inout Goal?,
    _ cell: Cell<Value>,
    _ state: inout CellState<Value>,
    _ roster: inout Roster,
    _ body: (inout Roster) -> Void
  ) {
    if step.phase == .preparing {
      if prepareWhileLocked(cell, for: step.purpose, &state, &roster, &goal) { return }
      body(&roster)
      step.taken(mustRefresh: adjustToReadersWhileLocked(cell, &state, &roster))
      if step.phase == .done { return }
    }
    if !refreshWhileLocked(cell, &state, &roster, &goal) { step.broughtUpToDate() }
  }

  // Brings the cell up to date, if the step needs that. Returns true if there is more to read.
  @inlinable
  func prepareWhileLocked(
    _ cell: Cell<Value>,
    for purpose: Purpose,
    _ state: inout CellState<Value>,
    _ roster: inout Roster,
    _ goal: inout Goal?
  ) -> Bool {
    let preparation = machine.follower.preparation(
      for: purpose,
      hasParkedReaders: roster.hasParkedReaders
    )
    // Attaches before it looks: if readers compare instants, each write after the look has one.
    if preparation.contains(.attach) { attachWhileLocked(cell) }
    if !preparation.contains(.refresh) { return false }
    let beginsHistory = preparation.contains(.beginHistory)
    return refreshWhileLocked(cell, &state, &roster, &goal, beginsHistory: beginsHistory)
  }

  /// Brings the cell up to date with what the first look of the step found. `goal` is nil before that look, and again
  /// when everything is read. Returns true if there is more to read in the logs.
  ///
  /// The order of the three parts matters. The look comes first, and parks the input waiters if nothing is new: from
  /// then on a writer wakes the readers that park in this hold. Then the history is read up to what the look found, and
  /// not beyond, since what comes later is the next step's. The end comes last: a reader may learn of it only when it
  /// can find everything before it.
  @inlinable
  func refreshWhileLocked(
    _ cell: Cell<Value>,
    _ state: inout CellState<Value>,
    _ roster: inout Roster,
    _ goal: inout Goal?,
    beginsHistory: Bool = false
  ) -> Bool {
    if roster.isFinished { return false }
    let found: Goal
    // Another reader may have read up to the goal in the meantime: then only another look parks the input waiters.
    if let goal, machine.follower.hasHistory, isBehindWhileLocked(goal) {
      found = goal
    } else {
      var newest: Snapshot<Value>?
      found = readInputsWhileLocked(beginsHistory: beginsHistory) { newest = view.takeSnapshot(.now) }
      if let newest { publishWhileLocked(newest, &state, &roster) }
    }
    if machine.follower.hasHistory, readHistoryWhileLocked(to: found, &state, &roster) {
      goal = found
      cell.publishWhileLocked(roster.watermark)
      return true
    }
    goal = nil
    if beginsHistory {
      machine.historyBegan()
      unsafe leftovers.isFollowingChanged = true
    }
    if found.isEnd { unsafe leftovers.add(roster.finished()) }
    cell.publishWhileLocked(roster.watermark)
    return false
  }

  // The problem: a reader with a backlog must see what the cells held at each instant at which one of them was written,
  // even if it comes to them late. If each writer joined the values at once, writers would pay for readers that are
  // busy. If each reader walked the logs itself, n readers would join the same values n times, each with a position in
  // every log. So the first reader that looks reads the logs for all, and the joint values go into the log of the joint
  // cell, where readers with any backlog find them as in every other cell. Only if no reader wants them all do the
  // writers join the values (*eager*): then the logs would grow for values that nothing reads.
  //
  // Publishes what the cells held at each instant, in portions of at most `longestPortion` instants. Returns true if
  // more is unread. No reader parks then, because this step has published versions that no reader has seen.
  @inlinable
  func readHistoryWhileLocked(to goal: Goal, _ state: inout CellState<Value>, _ roster: inout Roster) -> Bool
  {
    for _ in 0..<AnyJunction.longestPortion {
      guard isBehindWhileLocked(goal), advanceWhileLocked() else { return false }
      publishWhileLocked(view.takeSnapshot(.reached), &state, &roster)
    }
    return isBehindWhileLocked(goal)
  }

  @inlinable
  func publishWhileLocked(
    _ snapshot: Snapshot<Value>,
    _ state: inout CellState<Value>,
    _ roster: inout Roster
  ) {
    guard var value = snapshot.value,
      case .published(let woken, let outdated) = state.sent(&value, by: .insistent, &roster)
    else { return }
    addWhileLocked(value)
    unsafe leftovers.add(woken)
    if let outdated { unsafe leftovers.nodes.append(outdated) }
  }

  @inlinable
  func addWhileLocked(_ value: Value) {
    if unsafe old == nil { unsafe old = value } else { unsafe older.append(value) }
  }

  // The problem: what the junction keeps must go with the last reader that needs it, or it would hold values and logs
  // alive that nothing reads. But readers come and go in steps of other folders, which know nothing of junctions. Each
  // kind of reader could tell the junction; one that forgets to would leak for ever. So the junction counts nothing
  // itself: after each step it compares what the cell says of its readers with what it keeps. That is a few
  // comparisons, under the same lock.
  //
  // Does what readers that have come or gone require. Returns true if the cell must be brought up to date: then the
  // junction also reads what has piled up for readers that wanted all values.
  @inlinable
  func adjustToReadersWhileLocked(
    _ cell: Cell<Value>,
    _ state: inout CellState<Value>,
    _ roster: inout Roster
  ) -> Bool {
    let isRead = roster.readers > 0 || state.keepsHistory
    if isRead, !machine.follower.isAttached { attachWhileLocked(cell) }
    let obligations = machine.readersChanged(
      isRead: isRead,
      keepsHistory: state.keepsHistory,
      wantsAll: state.logReaders > 0
    )
    if obligations.contains(.endHistory) { endHistoryWhileLocked() }
    if obligations.contains(.detach) {
      detachWhileLocked(cell)
      // A finished cell looks at nothing again, so it keeps its last value for readers that come later.
      if !roster.isFinished {
        forgetWhileLocked()
        var value = empty
        state.lastReaderLeft(&value)
        addWhileLocked(value)
      }
    }
    return obligations.contains(.refresh)
  }
}
