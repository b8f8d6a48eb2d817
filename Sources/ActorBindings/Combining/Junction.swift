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
      junction.run(cell, for: purpose, step)
    }
  }

  @inlinable
  func run(_ cell: Cell<Value>, for purpose: Purpose, _ step: (inout Roster) -> Void) {
    var phase = Phase.preparing
    var goal: Goal?
    while phase != .done {
      let (leftovers, old, older) = cell.lock.withLock {
        unsafe proceed(&phase, &goal, cell, for: purpose, &cell.storedState, &cell.storedRoster, step)
        return unsafe (takeLeftovers(), self.old.take(), takeOlder())
      }
      act(on: leftovers)
      _ = consume old
      _ = consume older
    }
  }

  /// How far one step has come. The lock is released between two portions of a long history.
  @usableFromInline
  enum Phase: Sendable {
    /// The junction brings the cell up to date.
    case preparing
    /// The step is taken. The junction still reads what has piled up in the logs.
    case settling
    case done
  }

  @inlinable
  func takeOlder() -> [Value] {
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
  @inlinable
  func proceed(
    _ phase: inout Phase,
    _ goal: inout Goal?,
    _ cell: Cell<Value>,
    for purpose: Purpose,
    _ state: inout CellState<Value>,
    _ roster: inout Roster,
    _ step: (inout Roster) -> Void
  ) {
    if phase == .preparing {
      if prepare(cell, for: purpose, &state, &roster, &goal) { return }
      step(&roster)
      phase = .settling
      if !settle(cell, &state, &roster) {
        phase = .done
        return
      }
    }
    if !refresh(cell, &state, &roster, &goal) { phase = .done }
  }

  // Brings the cell up to date, if the step needs that. Returns true if there is more to read.
  @inlinable
  func prepare(
    _ cell: Cell<Value>,
    for purpose: Purpose,
    _ state: inout CellState<Value>,
    _ roster: inout Roster,
    _ goal: inout Goal?
  ) -> Bool {
    switch purpose {
    case .leaving: return false
    case .refreshing: if unsafe roster.idle.first == nil && !follower.isEager { return false }
    // Detached: no reader would release a value that is loaded now.
    case .reading: if unsafe !follower.isAttached { return false }
    case .joining(let depth):
      // Attaches before it looks: if readers compare instants, each write after the look has one.
      if unsafe !follower.isAttached { attach(cell) }
      if depth > 1, unsafe !follower.hasHistory {
        return refresh(cell, &state, &roster, &goal, beginsHistory: true)
      }
    }
    return refresh(cell, &state, &roster, &goal)
  }

  /// Brings the cell up to date with what the first look of the step found. `goal` is nil before that look, and again
  /// when everything is read. Returns true if there is more to read in the logs.
  @inlinable
  func refresh(
    _ cell: Cell<Value>,
    _ state: inout CellState<Value>,
    _ roster: inout Roster,
    _ goal: inout Goal?,
    beginsHistory: Bool = false
  ) -> Bool {
    if roster.isFinished { return false }
    let found: Goal
    // Another reader may have read up to the goal in the meantime: then only another look parks the feeders.
    if let goal, unsafe follower.hasHistory, isBehind(goal) {
      found = goal
    } else {
      var newest: Snapshot<Value>?
      found = readInputs(beginsHistory: beginsHistory) { newest = view.takeSnapshot(.now) }
      if let newest { publish(newest, &state, &roster) }
    }
    if unsafe follower.hasHistory, readHistory(to: found, &state, &roster) {
      goal = found
      cell.publish(roster.horizon)
      return true
    }
    goal = nil
    if beginsHistory {
      unsafe follower.historyBegan()
      unsafe leftovers.isFollowingChanged = true
    }
    if found.isEnd { unsafe leftovers.add(roster.finish()) }
    cell.publish(roster.horizon)
    return false
  }

  // Publishes what the cells held at each instant, in portions of at most `longestPortion` instants. Returns true if
  // more is unread. No reader parks then, because this step has published versions that no reader has seen.
  @inlinable
  func readHistory(to goal: Goal, _ state: inout CellState<Value>, _ roster: inout Roster) -> Bool {
    for _ in 0..<AnyJunction.longestPortion {
      guard isBehind(goal), advance() else { return false }
      publish(view.takeSnapshot(.reached), &state, &roster)
    }
    return isBehind(goal)
  }

  @inlinable
  func publish(_ snapshot: Snapshot<Value>, _ state: inout CellState<Value>, _ roster: inout Roster) {
    guard var value = snapshot.value,
      case .published(let woken, let outdated) = state.sent(&value, by: .insistent, &roster)
    else { return }
    add(value)
    unsafe leftovers.add(woken)
    if let outdated { unsafe leftovers.nodes.append(outdated) }
  }

  @inlinable
  func add(_ value: Value) {
    if unsafe old == nil { unsafe old = value } else { unsafe older.append(value) }
  }

  // Does what readers that have come or gone require. Returns true if the cell must be brought up to date: then the
  // junction also reads what has piled up for readers that wanted all values.
  @inlinable
  func settle(_ cell: Cell<Value>, _ state: inout CellState<Value>, _ roster: inout Roster) -> Bool {
    let isRead = roster.readers > 0 || state.keepsHistory
    if isRead, unsafe !follower.isAttached { attach(cell) }
    let obligations = unsafe follower.readersChanged(
      isRead: isRead,
      keepsHistory: state.keepsHistory,
      wantsAll: state.logReaders > 0
    )
    if obligations.contains(.endHistory) { endHistory() }
    if obligations.contains(.detach) {
      detach(cell)
      // A finished cell looks at nothing again, so it keeps its last value for readers that come later.
      if !roster.isFinished {
        forget()
        var value = empty
        swap(&state.value, &value)
        add(value)
      }
    }
    return obligations.contains(.refresh)
  }
}
