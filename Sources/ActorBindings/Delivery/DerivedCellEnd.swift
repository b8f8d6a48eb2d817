/// Waits for the end of a cell that an observation of another cell writes. That end cancels the observation.
// @unchecked: this class adds only constants to `Waiter`.
final class DerivedCellEnd: Waiter, @unchecked Sendable {
  private let observation: Observation
  private unowned let cell: AnyCell

  init(_ observation: Observation, of source: AnyCell, writing cell: AnyCell) {
    self.observation = observation
    self.cell = cell
    super.init()
    DerivedCells.insert(cell, from: source)
  }

  // The end of the cell, which comes before its deallocation.
  override func wake() {
    DerivedCells.remove(cell)
    observation.cancel()
  }

  /// What feeds the cell, unless the observation has ended.
  fileprivate var feeder: Feeder? {
    observation.lane.map { Feeder(cell: $0.cell, deliverer: $0) }
  }
}

extension AnyCell {
  /// What feeds this cell now, and nothing if only user code writes it. Called without any lock.
  package final var feeders: [Feeder] {
    if let upstream { return upstream.feeders(of: self) }
    return derivedCellEnd?.feeder.map { [$0] } ?? []
  }

  private final var derivedCellEnd: DerivedCellEnd? {
    locked { $0.firstEndWaiter { $0 is DerivedCellEnd } } as? DerivedCellEnd
  }
}
