/// The tasks that wait in `settled()` for one lane, or for one reader of a relay.
///
/// The tasks are in the order in which they began to wait, and are resumed in that order. Versions only grow, so no task
/// waits for a lower version than a task before it. Therefore the end of a pass looks only at the first tasks.
///
/// ### Actions
/// The caller resumes the returned resumptions after the lock of the cell.
package struct Settlers: Sendable {
  private struct Settler {
    let settlement: Settlement
    let version: UInt64
    /// True if the cell had ended already. Then the lane or the reader will end too, and the task waits for that.
    let awaitsEnd: Bool
    /// The number of readers that have handed the task over.
    let handOvers: Int
  }

  /// A task that waits for the next reader of a relay.
  package struct HandedOver: Sendable {
    package let settlement: Settlement
    /// The number of readers that have handed it over.
    package let handOvers: Int
  }

  /// What happens to the tasks that wait for a reader when another reader continues from its position.
  package struct HandOver: Sendable {
    /// The tasks to resume after the lock.
    package var resumed: [Resumption] = []
    /// The tasks that wait for the other reader.
    package var rest: [HandedOver] = []
  }

  // Each lane has its own `Settlers`, so these variables are small: two words.
  private var settlers: ContiguousArray<Settler?> = []
  // The tasks before this index no longer wait here.
  private var first: UInt32 = 0
  // The tasks from this index on wait for the next pass. The first of them waits for observations that no pass has visited;
  // the others wait behind it.
  private var firstOfNextPass: UInt32 = .max

  package init() {}

  /// The number of tasks that wait, with those that have given up and were not removed yet.
  package var count: Int { settlers.count - Int(first) }

  /// - Parameter awaitsNextPass: True if the task also waits for observations that only the next pass visits.
  package mutating func append(
    _ settlement: Settlement,
    awaitsNextPass: Bool = false,
    handOvers: Int = 0,
    _ roster: Roster
  ) {
    if settlers.count == settlers.capacity { removeGivenUp() }
    if awaitsNextPass { firstOfNextPass = min(firstOfNextPass, UInt32(settlers.count)) }
    settlers.append(
      Settler(
        settlement: settlement,
        version: roster.version,
        awaitsEnd: roster.isFinished,
        handOvers: handOvers
      )
    )
  }

  // Called before the array grows. Afterwards at least half of its room is free, so the cost is amortized.
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

  /// The lane or the reader has handled everything up to `version`. Returns the tasks to resume.
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

  /// The lane or the reader has nothing left to handle. Returns the tasks to resume.
  package mutating func removeAll() -> [Resumption] {
    settlers.isEmpty ? [] : removeRest().compactMap { $0.settlement.laneSettled() }
  }

  /// The reader has handled everything up to `version`, or nothing if that is nil, and hands over to another one.
  ///
  /// The other reader may have begun to read before a task began to wait; the reader after it has not. So each task is
  /// handed over at most twice, however fast readers follow each other.
  package mutating func handOver(after version: UInt64?) -> HandOver {
    var handOver = HandOver()
    if let version { handOver.resumed = handled(through: version) }
    for settler in removeRest() {
      if settler.handOvers < 2 {
        handOver.rest.append(HandedOver(settlement: settler.settlement, handOvers: settler.handOvers + 1))
      } else if let resumption = settler.settlement.laneSettled() {
        handOver.resumed.append(resumption)
      }
    }
    return handOver
  }

  private mutating func removeRest() -> [Settler] {
    let rest = settlers[Int(first)...].compactMap(\.self)
    settlers = []
    first = 0
    firstOfNextPass = .max
    return rest
  }
}
