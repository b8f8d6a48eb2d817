/// The cells that an observation of another cell writes, and that have not ended.
///
/// A derived cell knows what feeds it. The cell that feeds it knows only an observation, so the test kit looks here for
/// the cells that are derived from a cell. A look costs time for these cells only, however many the program has.
package enum DerivedCells: Sendable {
  private static let table = Table()

  /// The cells that observations of `source` write, in the order in which they began.
  package static func of(_ source: AnyCell) -> [AnyCell] { table.derived(from: source) }

  package static func insert(_ cell: AnyCell, from source: AnyCell) {
    if TestKit.isPresent { table.insert(cell, from: source) }
  }

  /// Called before the cell is deallocated.
  package static func remove(_ cell: AnyCell) {
    if TestKit.isPresent { table.remove(cell) }
  }

  // The steps are no points at which the explorer switches threads, as those of `KitRecords`.
  // @unchecked: `lock` guards the variables.
  private final class Table: @unchecked Sendable {
    private struct Derived: Sendable {
      let number: Int
      weak let cell: AnyCell?
    }

    private let lock = Lock()
    // Guarded by `lock`.
    private var derived: [ObjectIdentifier: [ObjectIdentifier: Derived]] = [:]
    // Guarded by `lock`. The source of each derived cell.
    private var sources: [ObjectIdentifier: ObjectIdentifier] = [:]
    // Guarded by `lock`.
    private var lastNumber = 0

    func derived(from source: AnyCell) -> [AnyCell] {
      let found = SchedulePoint.insideRuntime {
        lock.withLock { derived[ObjectIdentifier(source)].map { Array($0.values) } ?? [] }
      }
      return found.sorted { $0.number < $1.number }.compactMap(\.cell)
    }

    func insert(_ cell: AnyCell, from source: AnyCell) {
      let (id, sourceID) = (ObjectIdentifier(cell), ObjectIdentifier(source))
      SchedulePoint.insideRuntime {
        lock.withLock {
          lastNumber += 1
          derived[sourceID, default: [:]][id] = Derived(number: lastNumber, cell: cell)
          sources[id] = sourceID
        }
      }
    }

    func remove(_ cell: AnyCell) {
      let id = ObjectIdentifier(cell)
      SchedulePoint.insideRuntime {
        lock.withLock {
          guard let sourceID = sources.removeValue(forKey: id) else { return }
          derived[sourceID]?[id] = nil
          if derived[sourceID]?.isEmpty == true { derived[sourceID] = nil }
        }
      }
    }
  }
}
