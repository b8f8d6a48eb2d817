/// The changes that a subscription has not yet yielded: for each key the newest one.
///
/// Events: `recorded(_:)`: the journal has a record. `batchBegan(limit:)`: the reader wants changes.
/// Behavior: The changes come out in the order of their revisions. A change of a key that a later one replaces is left
/// out. So the space is that of the keys, not of the writes. Each event takes constant time on average.
package struct PendingChanges {
  // All records in the order of their revisions, with some that a later record of the same entry replaces.
  private var queue: [JournalRecord] = []
  private var head = 0
  // The revision of the newest record of each entry in the queue.
  private var newest: [EntryPath: UInt64] = [:]
  // Records up to this revision are known, or are older than the subscription.
  private var seen: UInt64

  /// No changes after `revision` are known yet.
  package init(after revision: UInt64) {
    seen = revision
  }

  package var isEmpty: Bool { newest.isEmpty }

  /// The number of records that take space.
  package var recordCount: Int { queue.count - head }

  package mutating func recorded(_ record: JournalRecord) {
    guard record.revision > seen else { return }
    seen = record.revision
    queue.append(record)
    newest[record.path] = record.revision
    if queue.count > 2 * newest.count + 32 { compact() }
  }

  /// All records up to this revision have been recorded, or are of other scopes.
  package mutating func caughtUp(to revision: UInt64) {
    seen = max(seen, revision)
  }

  /// Takes the oldest changes out.
  package mutating func batchBegan(limit: Int) -> [JournalRecord] {
    var batch: [JournalRecord] = []
    while head < queue.count && batch.count < limit {
      let record = queue[head]
      head += 1
      guard newest[record.path] == record.revision else { continue }
      newest[record.path] = nil
      batch.append(record)
    }
    if newest.isEmpty || head > queue.count / 2 { compact() }
    return batch
  }

  private mutating func compact() {
    queue = queue[head...].filter { newest[$0.path] == $0.revision }
    head = 0
  }
}
