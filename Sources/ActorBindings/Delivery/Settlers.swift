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
    /// The cell had ended, so the lane or the reader will end, too: the task waits for that.
    let awaitsEnd: Bool
  }

  // There is one of these for each lane, so it is small: two words.
  private var settlers: ContiguousArray<Settler?> = []
  // The tasks before this index were resumed.
  private var first: UInt32 = 0
  // The tasks from this index on wait for the next pass: the first because of observations that no pass has visited, the
  // others behind it.
  private var firstOfNextPass: UInt32 = .max

  package init() {}

  /// The number of tasks that wait, with those that have given up and were not removed yet.
  package var count: Int { settlers.count - Int(first) }

  /// - Parameter awaitsNextPass: What the task waits for includes observations that the next pass visits.
  package mutating func append(_ settlement: Settlement, awaitsNextPass: Bool = false, _ roster: Roster) {
    if settlers.count == settlers.capacity { removeGivenUp() }
    if awaitsNextPass { firstOfNextPass = min(firstOfNextPass, UInt32(settlers.count)) }
    settlers.append(
      Settler(settlement: settlement, version: roster.version, awaitsEnd: roster.isFinished)
    )
  }

  // Before the array grows. It has room for as many again afterwards, so the cost is amortized.
  private mutating func removeGivenUp() {
    var rest: ContiguousArray<Settler?> = []
    rest.reserveCapacity(max(8, settlers.count))
    for (index, settler) in settlers.enumerated() {
      if index == firstOfNextPass { firstOfNextPass = UInt32(rest.count) }
      if let settler, !settler.settlement.isGivenUp { rest.append(settler) }
    }
    if rest.count > rest.capacity / 2 { rest.reserveCapacity(2 * rest.count) }
    settlers = rest
    first = 0
  }

  package mutating func passBegan() {
    firstOfNextPass = .max
  }

  /// Everything up to `version` is handled.
  package mutating func handled(through version: UInt64) -> [Resumption] {
    var resumed: [Resumption] = []
    while first < min(UInt32(settlers.count), firstOfNextPass), let next = settlers[Int(first)],
      next.version <= version, !next.awaitsEnd
    {
      settlers[Int(first)] = nil
      first += 1
      if let resumption = next.settlement.laneSettled() { resumed.append(resumption) }
    }
    if count == 0 { _ = removeAll() }
    return resumed
  }

  /// Nothing is left to be handled.
  package mutating func removeAll() -> [Resumption] {
    settlers.isEmpty ? [] : removeAllSettlements().compactMap { $0.laneSettled() }
  }

  /// Removes the tasks, to wait elsewhere.
  package mutating func removeAllSettlements() -> [Settlement] {
    let rest = settlers[Int(first)...].compactMap { $0?.settlement }
    settlers = []
    first = 0
    firstOfNextPass = .max
    return rest
  }
}
