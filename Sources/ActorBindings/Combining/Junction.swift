/// Brings a joint cell of `Value` up to date with the cells that it follows.
@usableFromInline
package final class Junction<Value: Sendable>: AnyJunction, @unchecked Sendable {
  @usableFromInline typealias MakeView =
    @Sendable (_ counted: inout CountedCells) -> JunctionView<Value>

  @usableFromInline let view: JunctionView<Value>
  @usableFromInline let empty: Value
  /// Makes another view of the same cells, for a junction that follows more cells than these. The new view does not
  /// count the versions of the cells in `counted` again.
  @usableFromInline let makeView: MakeView

  @inlinable
  init(
    _ group: CellGroup,
    empty: Value,
    isOrdered: Bool,
    ending: [AnyCell]?,
    makeView: @escaping MakeView
  ) {
    self.empty = empty
    self.makeView = makeView
    var counted = CountedCells()
    let view = makeView(&counted)
    self.view = view
    super.init(group, view.inputs, isOrdered: isOrdered, ending: ending) {
      junction,
      cell,
      purpose,
      inputWaiter,
      step in
      let junction = unsafe unsafeDowncast(junction, to: Junction<Value>.self)
      let cell = unsafe unsafeDowncast(cell, to: Cell<Value>.self)
      if let inputWaiter, junction.refreshSide(in: cell, inputWaiter) { return }
      junction.takeStep(in: cell, for: purpose, step)
    }
  }

  /// Brings the cell up to date for its parked readers, because a writer has woken `inputWaiter`. Returns false if that
  /// takes a step.
  @inlinable
  func refreshSide(in cell: Cell<Value>, _ inputWaiter: InputWaiter) -> Bool {
    var released = Released()
    guard cell.locked({ refreshSideWhileLocked(inputWaiter, cell, &$0, &$1, &released) }) else {
      return false
    }
    act(on: &released.leftovers)
    return true
  }

  @inlinable
  func takeStep(in cell: Cell<Value>, for purpose: Purpose, _ body: (inout Roster) -> Void) {
    var step = FollowerStep(for: purpose)
    if case .reading = purpose {
      // Empty, unless the readers change: an empty array costs less than an empty `Released`.
      var released: [Released] = []
      cell.locked { takeAtOnceWhileLocked(&step, cell, &$0, &$1, &released, body) }
      if !released.isEmpty { act(on: &released[0].leftovers) }
      if step.phase == .done { return }
    }
    takeLongStep(&step, in: cell, body)
  }

  // Takes a step that may need several holds of the lock.
  @inlinable
  @inline(never)
  func takeLongStep(_ step: inout FollowerStep, in cell: Cell<Value>, _ body: (inout Roster) -> Void) {
    var goal: Goal?
    while step.phase != .done {
      var released = Released()
      cell.locked { proceedWhileLocked(&step, &goal, cell, &$0, &$1, &released, body) }
      act(on: &released.leftovers)
    }
  }

  /// The work that remains after one hold of the lock, and the replaced values. The values are released only after the
  /// readers are woken: a `deinit` is user code, and may take long.
  ///
  /// The variable of a caller, which passes it on without a copy: a copy counts many references.
  @usableFromInline
  struct Released: Sendable {
    @usableFromInline var leftovers = Leftovers()
    @usableFromInline var old: Value?
    @usableFromInline var older: [Value] = []

    @inlinable
    init() {}

    @inlinable
    mutating func add(_ value: Value) {
      if old == nil { old = value } else { older.append(value) }
    }
  }

  /// What the followed cells hold now, even if the joint cell has no readers.
  var snapshot: Snapshot<Value> {
    group.locked { view.takeSnapshot(.now, nil) }
  }
}

// MARK: - Under the lock

extension Junction {
  // Does the reader's own part of the step, if the cell is up to date. Adds to `released` only if the readers change.
  @inlinable
  func takeAtOnceWhileLocked(
    _ step: inout FollowerStep,
    _ cell: Cell<Value>,
    _ state: inout CellState<Value>,
    _ roster: inout Roster,
    _ released: inout [Released],
    _ body: (inout Roster) -> Void
  ) {
    if !isLastLookCurrentWhileLocked { return }
    body(&roster)
    let needs = needsWhileLocked(&state, &roster)
    let mustAdjust = machine.follower.mustAdjust(
      isRead: needs.isRead,
      keepsHistory: needs.keepsHistory,
      wantsAll: needs.wantsAll
    )
    var mustRefresh = false
    if mustAdjust {
      released.append(Released())
      mustRefresh = adjustToReadersWhileLocked(cell, &state, &roster, &released[0])
    }
    step.taken(mustRefresh: mustRefresh)
  }

  // Brings the cell up to date for its parked readers. Returns false if this needs a look at all cells.
  @inlinable
  func refreshSideWhileLocked(
    _ inputWaiter: InputWaiter,
    _ cell: Cell<Value>,
    _ state: inout CellState<Value>,
    _ roster: inout Roster,
    _ released: inout Released
  ) -> Bool {
    guard machine.inputWaiterWoken(), !roster.isFinished else { return false }
    guard roster.hasParkedReaders || machine.follower.isEager else { return true }
    var newest: Snapshot<Value>?
    let hasRead = readSideWhileLocked(inputWaiter) { [value = state.value] in
      newest = view.takeSnapshot(.writtenSide(inputWaiter.source), Snapshot(value, version: 0))
    }
    if !hasRead { return false }
    if let newest { publishWhileLocked(newest, &state, &roster, &released) }
    cell.publishWhileLocked(roster.watermark)
    return true
  }

  // Does as much of the step as one hold of the lock may do.
  @inlinable
  func proceedWhileLocked(
    _ step: inout FollowerStep,
    _ goal: inout Goal?,
    _ cell: Cell<Value>,
    _ state: inout CellState<Value>,
    _ roster: inout Roster,
    _ released: inout Released,
    _ body: (inout Roster) -> Void
  ) {
    if step.phase == .preparing {
      if prepareWhileLocked(cell, for: step.purpose, &state, &roster, &goal, &released) { return }
      body(&roster)
      step.taken(mustRefresh: adjustToReadersWhileLocked(cell, &state, &roster, &released))
      if step.phase == .done { return }
    }
    if !refreshWhileLocked(cell, for: step.purpose, &state, &roster, &goal, &released) {
      step.broughtUpToDate()
    }
  }

  // Brings the cell up to date, if the step needs that. Returns true if there is more to read in the logs.
  @inlinable
  func prepareWhileLocked(
    _ cell: Cell<Value>,
    for purpose: Purpose,
    _ state: inout CellState<Value>,
    _ roster: inout Roster,
    _ goal: inout Goal?,
    _ released: inout Released
  ) -> Bool {
    let preparation = machine.follower.preparation(
      for: purpose,
      hasParkedReaders: roster.hasParkedReaders
    )
    // Attaches before the look: if readers compare instants, each write after the look then has an instant.
    if preparation.contains(.attach) { attachWhileLocked(cell, &released.leftovers) }
    if !preparation.contains(.refresh) { return false }
    if preparation == .refresh, isLastLookCurrentWhileLocked { return false }
    let beginsHistory = preparation.contains(.beginHistory)
    return refreshWhileLocked(
      cell,
      for: purpose,
      &state,
      &roster,
      &goal,
      &released,
      beginsHistory: beginsHistory
    )
  }

  /// Brings the cell up to date with what the first look of the step found. `goal` is nil before that look, and nil
  /// again when everything is read. Returns true if there is more to read in the logs.
  ///
  /// The three parts are the look, the history and the end, and their order matters. The look comes first. If it finds
  /// nothing new, it parks the input waiters: from then on a writer wakes the readers that park in this hold of the
  /// lock. Then the junction reads the history, but only up to what the look found: later updates belong to the next
  /// step. The end comes last: a reader may learn that the cells have ended only when everything before the end is
  /// published.
  @inlinable
  func refreshWhileLocked(
    _ cell: Cell<Value>,
    for purpose: Purpose,
    _ state: inout CellState<Value>,
    _ roster: inout Roster,
    _ goal: inout Goal?,
    _ released: inout Released,
    beginsHistory: Bool = false
  ) -> Bool {
    // Between two holds of the lock, the last reader may have left. Then the cell keeps no value.
    if roster.isFinished || !machine.follower.isAttached { return false }
    let found: Goal
    // Between two holds of the lock, another reader may have read the history up to the goal. Then this step looks
    // again, because only a look parks the input waiters.
    if let goal, machine.follower.hasHistory, remainingCountWhileLocked(to: goal) > 0 {
      found = goal
    } else {
      var newest: Snapshot<Value>?
      var isForParkedReaders = false
      if case .refreshing = purpose { isForParkedReaders = roster.hasParkedReaders }
      found = readInputsWhileLocked(beginsHistory: beginsHistory, isForParkedReaders: isForParkedReaders) {
        newest = view.takeSnapshot(.now, nil)
      }
      if let newest { publishWhileLocked(newest, &state, &roster, &released) }
    }
    if machine.follower.hasHistory, readHistoryWhileLocked(to: found, &state, &roster, &released) {
      goal = found
      cell.publishWhileLocked(roster.watermark)
      return true
    }
    goal = nil
    noteHistoryWhileLocked()
    if beginsHistory { machine.historyBegan() }
    if found.isEnd { released.leftovers.add(roster.finished()) }
    cell.publishWhileLocked(roster.watermark)
    return false
  }

  // The problem: a reader with a backlog must see what all cells held at each instant at which one of them was written,
  // even if that reader looks late. If each writer joined the values at once, writers would pay for busy readers. If
  // each reader walked the logs itself, n readers would join the same values n times, each with a position in every
  // log. So the first reader that looks reads the logs for all readers, and publishes the joint values in the log of
  // the joint cell. Readers with any backlog find the joint values there, as readers of any other cell find its values.
  // In the state *eager* no reader wants all values, so the logs would grow for values that nothing reads. Only in that
  // state do the writers join the values.
  //
  // Publishes what the cells held at each instant, for at most `longestPortion` instants. Returns true if more history
  // is unread. In that case no reader parks, because this step has published versions that no reader has seen.
  @inlinable
  func readHistoryWhileLocked(
    to goal: Goal,
    _ state: inout CellState<Value>,
    _ roster: inout Roster,
    _ released: inout Released
  ) -> Bool {
    var remaining = remainingCountWhileLocked(to: goal)
    for _ in 0..<AnyJunction.longestPortion {
      let read = remaining > 0 ? advanceWhileLocked(&released.leftovers) : 0
      if read == 0 { return false }
      remaining -= read
      publishWhileLocked(view.takeSnapshot(.reached, nil), &state, &roster, &released)
    }
    return remaining > 0
  }

  @inlinable
  func publishWhileLocked(
    _ snapshot: consuming Snapshot<Value>,
    _ state: inout CellState<Value>,
    _ roster: inout Roster,
    _ released: inout Released
  ) {
    guard var value = snapshot.value,
      case .published(let woken, let outdated) = state.sent(
        &value,
        by: .insistent,
        at: snapshot.instant,
        &roster
      )
    else { return }
    released.add(value)
    released.leftovers.add(woken)
    if let outdated { released.leftovers.passed.add(outdated) }
  }

  // The problem: when the last reader that needs a value or a log leaves, the junction must stop keeping that value or
  // log. Otherwise the junction would keep values and logs alive that nothing reads. But readers join and leave in code
  // of other folders, which knows nothing of junctions. Each kind of reader could tell the junction. But if one kind of
  // reader did not, the junction would leak for ever. So the junction counts no readers itself. After each step it
  // compares what it keeps with what the state of the joint cell says of the readers. This takes a few comparisons,
  // under the lock that the step holds anyway.
  //
  // Adjusts what the junction keeps to the readers that the cell has now. Returns true if the cell must be brought up
  // to date again, to read what has piled up in the logs for readers that wanted all values.
  @inlinable
  func adjustToReadersWhileLocked(
    _ cell: Cell<Value>,
    _ state: inout CellState<Value>,
    _ roster: inout Roster,
    _ released: inout Released
  ) -> Bool {
    let needs = needsWhileLocked(&state, &roster)
    let obligations = machine.readersChanged(
      isRead: needs.isRead,
      keepsHistory: needs.keepsHistory,
      wantsAll: needs.wantsAll
    )
    let endsHistory = obligations.contains(.endHistory)
    if endsHistory, !obligations.contains(.detach) { endHistoryWhileLocked(&released.leftovers) }
    if obligations.contains(.detach) {
      detachWhileLocked(cell, endsHistory: endsHistory, &released.leftovers)
      // A finished cell never looks at the followed cells again, so it keeps its last value for readers that come
      // later.
      if !roster.isFinished {
        forgetWhileLocked()
        var value = empty
        state.lastReaderLeft(&value)
        released.add(value)
      }
    }
    return obligations.contains(.refresh)
  }

  // What the readers of the cell need the junction for.
  @inlinable
  @inline(__always)
  func needsWhileLocked(
    _ state: inout CellState<Value>,
    _ roster: inout Roster
  ) -> (isRead: Bool, keepsHistory: Bool, wantsAll: Bool) {
    (
      isRead: roster.readers > 0 || state.keepsHistory,
      // When the joint cell has ended, nothing more is read, but some of the followed cells may go on.
      keepsHistory: !roster.isFinished && state.keepsHistory,
      wantsAll: state.logReaders > 0
    )
  }
}
