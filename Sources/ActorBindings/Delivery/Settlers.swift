/// The tasks that wait in `settled()` for one lane, or for one reader of a relay.
///
/// They stand in the order in which they began to wait, and are resumed in that order. Versions only grow, so a task is never
/// held up by one that waits for less: the end of a pass looks at the first tasks only, not at all of them.
///
/// ### Actions
/// The resumptions that are returned are resumed after the lock of the cell.
package struct Settlers: Sendable {
  private struct Settler {
    let settlement: Settlement
    let version: UInt64
    /// It waits until this pass has ended, for there were observations that no pass had visited.
    let pass: UInt64
    /// The cell had ended, so the lane or the reader will end, too: the task waits for that.
    let awaitsEnd: Bool
  }

  // A slice, because its first element is removed in one step.
  private var settlers: ArraySlice<Settler> = []
  // The number of passes that have begun.
  private var passes: UInt64 = 0
  // At this number the tasks that have given up are removed.
  private var countToSweep = 16

  package init() {}

  /// The number of tasks that wait, with those that have given up and were not removed yet.
  package var count: Int { settlers.count }

  /// - Parameter awaitsNextPass: What the task waits for includes observations that the next pass visits.
  package mutating func append(_ settlement: Settlement, awaitsNextPass: Bool = false, _ roster: Roster) {
    if settlers.count >= countToSweep {
      settlers.removeAll { $0.settlement.isGivenUp }
      countToSweep = max(16, 2 * settlers.count)
    }
    settlers.append(
      Settler(
        settlement: settlement,
        version: roster.version,
        pass: passes + (awaitsNextPass ? 1 : 0),
        awaitsEnd: roster.isFinished
      )
    )
  }

  package mutating func passBegan() {
    passes += 1
  }

  /// Everything up to `version` is handled.
  package mutating func handled(through version: UInt64) -> [Resumption] {
    var resumed: [Resumption] = []
    while let next = settlers.first, next.version <= version, next.pass <= passes, !next.awaitsEnd {
      settlers.removeFirst()
      if let resumption = next.settlement.laneSettled() { resumed.append(resumption) }
    }
    if settlers.isEmpty { settlers = [] }
    return resumed
  }

  /// Nothing is left to be handled.
  package mutating func removeAll() -> [Resumption] {
    defer { settlers = [] }
    return settlers.compactMap { $0.settlement.laneSettled() }
  }
}
