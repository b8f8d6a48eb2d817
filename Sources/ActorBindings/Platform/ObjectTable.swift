/// Records of objects, by their identity. Any thread may use it.
///
/// The table is for diagnostics that a program has asked for: it may have a record of each living cell. It has many locks,
/// so that objects on different threads seldom wait for one another, and so that no lock is held for long.
package final class ObjectTable<Record: Sendable>: Sendable {
  private let parts = (0..<64).map { _ in Part() }

  package init() {}

  private func part(of id: ObjectIdentifier) -> Part {
    parts[id.hashValue & (parts.count - 1)]
  }

  /// Adds a record, or replaces the record of the object.
  package func set(_ record: Record, for id: ObjectIdentifier) {
    // The former record is released after the lock.
    _ = part(of: id).locked { $0.updateValue(record, forKey: id) }
  }

  /// Removes the record of an object that is about to be deallocated.
  package func remove(_ id: ObjectIdentifier) {
    _ = part(of: id).locked { $0.removeValue(forKey: id) }
  }

  package subscript(_ id: ObjectIdentifier) -> Record? {
    part(of: id).locked { $0[id] }
  }

  /// All records, in no order. A record that comes or goes meanwhile may be missing.
  package var all: [(id: ObjectIdentifier, record: Record)] {
    parts.flatMap { part in part.locked { $0 } }.map { (id: $0.key, record: $0.value) }
  }

  // @unchecked: `lock` guards `records`.
  private final class Part: @unchecked Sendable {
    private let lock = Lock()
    // Guarded by `lock`.
    private var records: [ObjectIdentifier: Record] = [:]

    func locked<Result: Sendable>(_ body: (inout [ObjectIdentifier: Record]) -> Result) -> Result {
      lock.withLock { body(&records) }
    }
  }
}
