internal import Synchronization

/// What diagnostics record of a cell that has a name, or that was created while diagnostics recorded all cells.
package struct CellRecord: Sendable {
  package weak let cell: AnyCell?
  package let name: String?

  /// The records of all such cells that live.
  package static let all = ObjectTable<CellRecord>()
}

extension AnyCell {
  /// The name that user code has given the cell; nil if it has none.
  package final var name: String? {
    isRecorded.load(ordering: .relaxed) ? CellRecord.all[ObjectIdentifier(self)]?.name : nil
  }

  /// Makes a record of the cell, with the name.
  package final func record(as name: String?) {
    isRecorded.store(true, ordering: .relaxed)
    CellRecord.all.set(CellRecord(cell: self, name: name), for: ObjectIdentifier(self))
  }
}
