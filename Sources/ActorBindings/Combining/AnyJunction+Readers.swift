// What a junction does when its first reader comes, when its last reader leaves, and when no reader needs a history any
// more. All of this runs under the lock of the joint cell.
extension AnyJunction {
  @usableFromInline
  final func endHistoryWhileLocked(_ leftovers: inout Leftovers) {
    // With a history, a look takes no values, because reading the history publishes them. If some of the history is
    // unread, the next look must take the values.
    if inputs.contains(where: { unsafe $0.seen != $0.cut }) { forgetWhileLocked() }
    group.locked { endPositionsWhileLocked(&leftovers.passed) }
  }

  private final func endPositionsWhileLocked(_ passed: inout PassedHistory) {
    for input in inputs { input.endHistoryWhileLocked(&passed) }
  }

  @usableFromInline
  final func attachWhileLocked(_ cell: AnyCell, _ leftovers: inout Leftovers) {
    machine.attached()
    leftovers.isFollowingChanged = true
    inputWaiters = group.cells.map { InputWaiter(from: $0, to: cell, of: self) }
    group.locked { joinSourcesWhileLocked(as: cell) }
  }

  private final func joinSourcesWhileLocked(as cell: AnyCell) {
    if isOrdered { inputs.forEach { $0.startOrderingWhileLocked() } }
    for source in group.cells { source.rosterWhileLocked.followerJoined(cell) }
  }

  /// Leaves the cells, and ends the history first if there is one.
  @usableFromInline
  final func detachWhileLocked(_ cell: AnyCell, endsHistory: Bool, _ leftovers: inout Leftovers) {
    leftovers.isFollowingChanged = true
    group.locked { leaveSourcesWhileLocked(as: cell, endsHistory: endsHistory, &leftovers.passed) }
    // Perhaps a writer has already taken an input waiter out of a wait list, and is about to wake it. Waking it has no
    // effect, because no reader is parked.
    inputWaiters = []
  }

  private final func leaveSourcesWhileLocked(
    as cell: AnyCell,
    endsHistory: Bool,
    _ passed: inout PassedHistory
  ) {
    if endsHistory { endPositionsWhileLocked(&passed) }
    if isOrdered { inputs.forEach { $0.stopOrderingWhileLocked() } }
    inputWaiters.forEach { $0.leaveWhileLocked() }
    for source in group.cells { source.rosterWhileLocked.followerLeft(ObjectIdentifier(cell)) }
  }
}

// MARK: - Diagnostics

extension AnyJunction {
  final func keptUpdatesWhileLocked(in source: AnyCell) -> KeptUpdates? {
    KeptUpdates(whileLocked: inputs.lazy.filter { $0.cell === source })
  }
}
