/// The cells that an observation of another cell writes, and that have not ended.
///
/// A derived cell knows what feeds it. The cell that feeds it knows only an observation, so the test kit looks here for
/// the cells that are derived from a cell.
package enum DerivedCells: Sendable {
  private struct Weak: Sendable {
    weak let cell: AnyCell?
  }

  private static let records = KitRecords<Weak>()

  package static var all: [AnyCell] { records.all.compactMap(\.cell) }

  package static func insert(_ cell: AnyCell) {
    if TestKit.isPresent { records.insert(Weak(cell: cell), for: cell) }
  }

  /// Called before the cell is deallocated.
  package static func remove(_ cell: AnyCell) {
    if TestKit.isPresent { records.remove(cell) }
  }
}
