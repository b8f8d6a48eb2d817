/// The tasks that wait in `settled()` for one lane, or for one reader of a relay.
///
/// The tasks are in the order in which they began to wait, and are resumed in that order. Versions only grow, so no
/// task waits for a lower version than a task before it. Therefore, at the end of a pass, `handled` looks only at the
/// first tasks.
///
/// ### Actions
/// The caller resumes the returned resumptions after the lock of the cell.
package struct SettledCallQueue: Sendable {
  private struct Entry {
    let call: SettledCall
    let version: UInt64
    /// True if the cell had ended before the task began to wait. Then the lane or the reader will end too, and the task
    /// waits for that end.
    let awaitsEnd: Bool
  }

  // Each lane has its own `SettledCallQueue`, so these variables are small: two words.
  private var entries: ContiguousArray<Entry?> = []
  // The tasks before this index no longer wait here.
  private var first: UInt32 = 0
  // The tasks from this index on wait for the next pass. The first of these tasks waits for observations that no pass
  // has visited; the others are behind it in the queue.
  private var firstOfNextPass: UInt32 = .max

  package init() {}

  /// The number of tasks that wait, including tasks that have given up but were not removed yet.
  package var count: Int { entries.count - Int(first) }

  /// - Parameter awaitsNextPass: True if the task also waits for observations that only the next pass visits.
  package mutating func append(
    _ call: SettledCall,
    awaitsNextPass: Bool = false,
    _ roster: Roster
  ) {
    if entries.count == entries.capacity { removeCancelled() }
    if awaitsNextPass { firstOfNextPass = min(firstOfNextPass, UInt32(entries.count)) }
    entries.append(Entry(call: call, version: roster.version, awaitsEnd: roster.isFinished))
  }

  // Called before the array grows. Afterwards at least half of the array's capacity is free, so the cost is amortized.
  private mutating func removeCancelled() {
    var rest: ContiguousArray<Entry?> = []
    rest.reserveCapacity(max(8, entries.count))
    for (index, entry) in entries.enumerated() {
      if index == firstOfNextPass { firstOfNextPass = UInt32(rest.count) }
      if let entry, !entry.call.isCancelled { rest.append(entry) }
    }
    if rest.count > rest.capacity / 2 { rest.reserveCapacity(2 * rest.count) }
    entries = rest
    first = 0
  }

  package mutating func passBegan() {
    firstOfNextPass = .max
  }

  /// The lane or the reader has handled everything up to `version`. Returns the tasks to resume.
  package mutating func handled(through version: UInt64) -> [Resumption] {
    var resumed: [Resumption] = []
    while first < min(UInt32(entries.count), firstOfNextPass), let next = entries[Int(first)],
      next.version <= version, !next.awaitsEnd
    {
      entries[Int(first)] = nil
      first += 1
      if let resumption = next.call.delivererSettled() { resumed.append(resumption) }
    }
    if count == 0 { _ = removeAll() }
    return resumed
  }

  /// The lane or the reader has nothing left to handle. Returns the tasks to resume.
  package mutating func removeAll() -> [Resumption] {
    if entries.isEmpty { return [] }
    let rest = entries[Int(first)...].compactMap(\.self)
    entries = []
    first = 0
    firstOfNextPass = .max
    return rest.compactMap { $0.call.delivererSettled() }
  }
}
