// How the list junction begins and ends to follow its cells. Each function here takes all their locks.
extension ListJunction {
  func attachWhileLocked(
    _ cell: Cell<List>,
    beginsHistory: Bool,
    _ state: inout CellState<List>,
    _ roster: inout Roster
  ) {
    follower.attached()
    leftovers.isFollowingChanged = true
    inputs = listSources.map { ListInput($0, of: cell, marks) }
    let items = locked(group) {
      marks.keepAll(beginsHistory)
      for input in inputs { joinWhileLocked(input, as: cell) }
      if beginsHistory { listSources.forEach { $0.positions.forEach { $0.beginHistoryWhileLocked() } } }
      return views.map { $0.takeSnapshot(.now, nil) }
    }
    if beginsHistory { follower.historyBegan() }
    noteFoundWhileLocked()
    publishWhileLocked(List(items), &state, &roster)
    finishIfEndedWhileLocked(&roster)
  }

  private func joinWhileLocked(_ input: ListInput, as cell: AnyCell) {
    for position in input.source.positions { position.startOrderingWhileLocked() }
    let source = input.source.cell
    source.rosterWhileLocked.writeObserverJoined(input)
    source.rosterWhileLocked.followerJoined(cell)
    source.rosterWhileLocked.inputWaiterParked(input)
    noteEndWhileLocked(input)
  }

  func beginHistoryWhileLocked(_ state: inout CellState<List>, _ roster: inout Roster) {
    guard follower.isAttached, !follower.hasHistory, !roster.isFinished else { return }
    noteFoundWhileLocked()
    var looked: [ListInput] = []
    let items = locked(group) {
      add(unshown + marks.takeAll().map(\.input), to: &looked)
      marks.keepAll(true)
      for input in looked { noteEndWhileLocked(input) }
      listSources.forEach { $0.positions.forEach { $0.beginHistoryWhileLocked() } }
      return Set(looked.flatMap(\.source.elements)).map {
        (index: $0, item: views[$0].takeSnapshot(.now, nil))
      }
    }
    for input in looked { input.isLookedAt = false }
    unshown = []
    follower.historyBegan()
    showWhileLocked(items, &state, &roster)
    finishIfEndedWhileLocked(&roster)
  }

  private func endHistoryWhileLocked() {
    unshown += instants.removeAll()
    locked(group) {
      marks.keepAll(false)
      for source in listSources {
        for position in source.positions { position.endHistoryWhileLocked(&leftovers.passed) }
      }
    }
  }

  private func detachWhileLocked(_ cell: AnyCell, _ state: inout CellState<List>, _ roster: inout Roster) {
    leftovers.isFollowingChanged = true
    locked(group) {
      for input in inputs { leaveWhileLocked(input, as: cell) }
    }
    leftovers.inputs += inputs
    (inputs, awake, unshown, endedCount) = ([], [], [], 0)
    _ = instants.removeAll()
    _ = marks.takeAll()
    // A finished cell never looks at the followed cells again, so it keeps its last value for readers that come later.
    if roster.isFinished { return }
    var value = List.empty
    state.lastReaderLeft(&value)
    leftovers.old.append(value)
  }

  private func leaveWhileLocked(_ input: ListInput, as cell: AnyCell) {
    input.hasLeft = true
    for position in input.source.positions { position.stopOrderingWhileLocked() }
    let source = input.source.cell
    source.rosterWhileLocked.writeObserverLeft(input)
    source.rosterWhileLocked.followerLeft(ObjectIdentifier(cell))
    _ = source.rosterWhileLocked.unparked(input)
  }

  // Adjusts what the junction keeps to the readers that the cell has now, as in a `Junction`. Returns true if the cell
  // must be brought up to date again.
  func adjustToReadersWhileLocked(
    _ cell: AnyCell,
    _ state: inout CellState<List>,
    _ roster: inout Roster
  ) -> Bool {
    let obligations = follower.readersChanged(
      isRead: roster.readers > 0 || state.keepsHistory,
      keepsHistory: state.keepsHistory,
      wantsAll: state.logReaders > 0
    )
    if obligations.contains(.endHistory) { endHistoryWhileLocked() }
    if obligations.contains(.detach) { detachWhileLocked(cell, &state, &roster) }
    return obligations.contains(.refresh)
  }
}
