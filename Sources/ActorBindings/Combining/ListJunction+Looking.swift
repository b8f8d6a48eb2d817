internal import Synchronization

// What the list junction does under the lock of the joint cell.
extension ListJunction {
  // Does as much of the step as one hold of the lock may do.
  func holdWhileLocked(
    _ step: inout FollowerStep,
    _ goal: inout Int?,
    _ woken: ListInput?,
    _ cell: Cell<List>,
    _ state: inout CellState<List>,
    _ roster: inout Roster,
    _ body: (inout Roster) -> Void
  ) -> Leftovers {
    if let woken, !woken.hasLeft, !woken.isAwake {
      woken.isAwake = true
      awake.append(woken)
    }
    proceedWhileLocked(&step, &goal, cell, &state, &roster, body)
    cell.publishWhileLocked(roster.watermark)
    defer { leftovers = Leftovers() }
    return leftovers
  }

  private func proceedWhileLocked(
    _ step: inout FollowerStep,
    _ goal: inout Int?,
    _ cell: Cell<List>,
    _ state: inout CellState<List>,
    _ roster: inout Roster,
    _ body: (inout Roster) -> Void
  ) {
    if step.phase == .preparing {
      let preparation = follower.preparation(
        for: step.purpose,
        hasParkedReaders: roster.hasParkedReaders
      )
      // A reader of a finished cell finds the last value, and follows nothing.
      if !roster.isFinished, preparation.contains(.attach) {
        attachWhileLocked(cell, beginsHistory: preparation.contains(.beginHistory), &state, &roster)
      } else if preparation.contains(.refresh) {
        if refreshWhileLocked(for: step.purpose, &goal, &state, &roster) { return }
        if preparation.contains(.beginHistory) { beginHistoryWhileLocked(&state, &roster) }
      }
      body(&roster)
      step.taken(mustRefresh: adjustToReadersWhileLocked(cell, &state, &roster))
      if step.phase == .done { return }
    }
    if !refreshWhileLocked(for: step.purpose, &goal, &state, &roster) { step.broughtUpToDate() }
  }

  /// Brings the cell up to date with what the first look of the step found. `goal` is nil before that look, and nil
  /// again when everything is read. Returns true if there is more to show of the history.
  private func refreshWhileLocked(
    for purpose: Upstream.Purpose,
    _ goal: inout Int?,
    _ state: inout CellState<List>,
    _ roster: inout Roster
  ) -> Bool {
    if roster.isFinished || !follower.isAttached { return false }
    if goal == nil {
      var parks = follower.isEager
      if case .refreshing = purpose, roster.hasParkedReaders { parks = true }
      if follower.hasHistory {
        lookAtInstantsWhileLocked(parks: parks)
      } else {
        lookWhileLocked(parks: parks, &state, &roster)
      }
      goal = instants.addedCount
    }
    if let end = goal, showInstantsWhileLocked(to: end, &state, &roster) { return true }
    goal = nil
    finishIfEndedWhileLocked(&roster)
    return false
  }

  func finishIfEndedWhileLocked(_ roster: inout Roster) {
    if endedCount == inputs.count, instants.isEmpty { roster.finished().add(to: &leftovers.woken) }
  }

  // MARK: Looking without history

  // The number of attempts after which a look takes all locks.
  private static var attempts: Int { 4 }

  private func lookWhileLocked(parks: Bool, _ state: inout CellState<List>, _ roster: inout Roster) {
    noteFoundWhileLocked()
    var looked: [ListInput] = []
    add(unshown, to: &looked)
    unshown = []
    add(marks.takeAll().map(\.input), to: &looked)
    if looked.isEmpty, awake.isEmpty { return }
    // If there is nothing new, a reader may be about to park.
    let parks = parks || looked.isEmpty
    var items: [(index: Int, item: Snapshot<Value>)] = []
    var attempt = 1
    while true {
      let takesAll = attempt > Self.attempts
      let cells = takesAll ? group : CellGroup((looked + (parks ? awake : [])).flatMap(\.source.group))
      let isComplete = locked(cells) {
        if takesAll { add(marks.takeAll().map(\.input), to: &looked) }
        guard marks.takeAllIfLookedAtWhileLocked() else { return false }
        for input in looked { noteEndWhileLocked(input) }
        if parks { parkWhileLocked(looked) }
        let indices = Set(looked.flatMap(\.source.elements))
        items = indices.map { ($0, views[$0].takeSnapshot(.now, nil)) }
        return true
      }
      if isComplete { break }
      add(marks.takeAll().map(\.input), to: &looked)
      attempt += 1
    }
    for input in looked { input.isLookedAt = false }
    showWhileLocked(items, &state, &roster)
  }

  func noteFoundWhileLocked() {
    found.store(marks.addedCount, ordering: .relaxed)
  }

  func add(_ inputs: [ListInput], to looked: inout [ListInput]) {
    for input in inputs where !input.isLookedAt && !input.hasLeft {
      input.isLookedAt = true
      looked.append(input)
    }
  }

  // Parks these inputs and those that are awake. The caller holds the locks of their cells.
  private func parkWhileLocked(_ looked: [ListInput]) {
    for input in awake {
      input.isAwake = false
      noteEndWhileLocked(input)
      input.source.cell.rosterWhileLocked.inputWaiterParked(input)
    }
    awake = []
    for input in looked { input.source.cell.rosterWhileLocked.inputWaiterParked(input) }
  }

  func noteEndWhileLocked(_ input: ListInput) {
    guard !input.hasEnded, input.source.cell.rosterWhileLocked.isFinished else { return }
    input.hasEnded = true
    endedCount += 1
  }

  func showWhileLocked(
    _ items: [(index: Int, item: Snapshot<Value>)],
    at instant: LogicalInstant = .unordered,
    _ state: inout CellState<List>,
    _ roster: inout Roster
  ) {
    if items.isEmpty { return }
    // A copy: the joint cell keeps the replaced items alive until the lock is released.
    var list = state.value
    for (index, item) in items { list.update(item, at: index) }
    publishWhileLocked(list, at: instant, &state, &roster)
  }

  func publishWhileLocked(
    _ list: List,
    at instant: LogicalInstant = .unordered,
    _ state: inout CellState<List>,
    _ roster: inout Roster
  ) {
    var list = list
    guard case .published(let woken, let outdated) = state.sent(&list, by: .insistent, at: instant, &roster)
    else { return }
    leftovers.old.append(list)
    woken.add(to: &leftovers.woken)
    if let outdated { leftovers.passed.add(outdated) }
  }

  // MARK: Looking with history

  private func lookAtInstantsWhileLocked(parks: Bool) {
    noteFoundWhileLocked()
    var taken = marks.takeAll()
    if taken.isEmpty {
      if awake.isEmpty { return }
      // There is nothing new, so a reader may be about to park.
      locked(CellGroup(awake.map(\.source.cell))) { parkWhileLocked([]) }
      // A cell may have been written before its input was parked. This step shows such a write, so no reader parks.
      taken = marks.takeAll()
      if taken.isEmpty { return }
    }
    var looked: [ListInput] = []
    add(taken.map(\.input), to: &looked)
    for input in looked { input.isLookedAt = false }
    locked(CellGroup((looked + (parks ? awake : [])).map(\.source.cell))) {
      for input in looked { noteEndWhileLocked(input) }
      if parks { parkWhileLocked(looked) }
      // The locks of these cells show that the transactions that wrote them have noted all their writes.
      taken += marks.take(of: Set(taken.map(\.instant)))
      // No write comes after all ends.
      if endedCount == inputs.count { taken += marks.takeAll() }
    }
    instants.add(taken)
  }

  // Shows a limited number of instants. Returns true if there are more, up to `end`. In that case no reader parks,
  // because this step has published versions that no reader has seen.
  private func showInstantsWhileLocked(to end: Int, _ state: inout CellState<List>, _ roster: inout Roster)
    -> Bool
  {
    for _ in 0..<AnyJunction.longestPortion {
      guard instants.shownCount < end, !instants.isEmpty else { return false }
      let group = instants.removeFirst()
      for input in group.inputs {
        for position in input.source.positions {
          position.advanceToNextWhileLocked(at: group.instant, &leftovers.passed)
        }
      }
      let indices = Set(group.inputs.flatMap(\.source.elements))
      let items = indices.map { (index: $0, item: views[$0].takeSnapshot(.reached, nil)) }
      showWhileLocked(items, at: group.instant, &state, &roster)
    }
    return instants.shownCount < end
  }
}
