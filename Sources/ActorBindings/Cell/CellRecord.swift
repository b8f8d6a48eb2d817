internal import Synchronization

/// What diagnostics record of a cell that has a name, or that was created while diagnostics recorded all cells.
package struct CellRecord: Sendable {
  package weak let cell: AnyCell?
  package let name: String?
  /// Returns the number of calls that wait for what the cell shows; nil for a cell for which no call waits.
  package let waitingCalls: (@Sendable () -> Int)?

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
    let waitingCalls = CellRecord.all[ObjectIdentifier(self)]?.waitingCalls
    set(CellRecord(cell: self, name: name, waitingCalls: waitingCalls))
  }

  /// Adds to the record, if the cell has one, a function that returns the number of calls that wait for what the cell
  /// shows.
  package final func addToRecord(_ waitingCalls: @autoclosure () -> @Sendable () -> Int) {
    guard isRecorded.load(ordering: .relaxed) else { return }
    set(CellRecord(cell: self, name: name, waitingCalls: waitingCalls()))
  }

  private final func set(_ record: CellRecord) {
    CellRecord.all.set(record, for: ObjectIdentifier(self))
  }

  /// The number of calls that wait for what the cell shows, if the record says so.
  package final var waitingCallCount: Int {
    isRecorded.load(ordering: .relaxed) ? CellRecord.all[ObjectIdentifier(self)]?.waitingCalls?() ?? 0 : 0
  }
}
