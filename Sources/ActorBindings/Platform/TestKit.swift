internal import CActorBindings

/// Whether the program contains the test kit. The library records what the kit waits for only if it does.
package enum TestKit: Sendable {
  package static var isPresent: Bool { actor_bindings_test_kit_is_present() }
}

/// Records for the test kit, by the identity of an object.
///
/// It has one lock, so that `all` shows one instant: if a task starts the next task and then ends, `all` contains at least
/// one of the two. The steps are no points at which the explorer switches threads, so it explores the same schedules
/// without the kit.
// @unchecked: `lock` guards the variables.
package final class KitRecords<Record: Sendable>: @unchecked Sendable {
  private struct Entry: Sendable {
    let number: Int
    let record: Record
  }

  private let lock = Lock()
  // Guarded by `lock`.
  private var entries: [ObjectIdentifier: Entry] = [:]
  // Guarded by `lock`.
  private var lastNumber = 0

  package init() {}

  package var count: Int { withEntries { $0.count } }

  /// The records, in the order in which they were inserted. So the order does not depend on addresses.
  package var all: [Record] {
    withEntries { Array($0.values) }.sorted { $0.number < $1.number }.map(\.record)
  }

  /// Inserts a record, or replaces the record of the object.
  package func insert(_ record: Record, for object: any AnyObject & Sendable) {
    // The former record is released after the lock.
    _ = withEntries { entries in
      lastNumber += 1
      return entries.updateValue(Entry(number: lastNumber, record: record), forKey: ObjectIdentifier(object))
    }
  }

  package func remove(_ object: any AnyObject & Sendable) {
    _ = withEntries { $0.removeValue(forKey: ObjectIdentifier(object)) }
  }

  /// Removes the records that `isKept` refuses. It is called without the lock, because it may release an object.
  package func keepOnly(_ isKept: (Record) -> Bool) {
    let removed = withEntries { $0 }.filter { !isKept($0.value.record) }
    withEntries { entries in
      for (id, entry) in removed where entries[id]?.number == entry.number { entries[id] = nil }
    }
  }

  private func withEntries<Result: Sendable>(_ body: (inout [ObjectIdentifier: Entry]) -> Result) -> Result {
    SchedulePoint.insideRuntime { lock.withLock { body(&entries) } }
  }
}
