// The former versions that a cell keeps, so that a reader that comes back with a version can learn what it has missed.
//
// They are in the window, the ring of the newest updates: a permanent `.bounded` reader, which never reads, makes the
// window keep them. So a cell that keeps no former versions pays nothing for this.

extension Cell {
  /// Keeps the newest `count` former versions from now on, besides the current version. Called while the cell is
  /// created, at most once.
  @usableFromInline
  package func keepPastVersions(_ count: Int) {
    guard count >= 0, count < Int(UInt32.max) - 1 else {
      fatalError("a history keeps 0 or more versions, not \(count)")
    }
    if count == 0 { return }
    locked { state, roster in state.pastVersionsWanted(count, at: roster.version) }
  }

  /// Returns the value that the cell had at `version`; nil if the cell does not hold that version.
  @usableFromInline
  package func value(atVersion version: UInt64) -> Value? {
    locked { state, roster in state.value(atVersion: version, roster) }
  }
}

extension CellState {
  /// The cell was created with a history: the window keeps the current update and the `count` updates before it.
  mutating func pastVersionsWanted(_ count: Int, at version: UInt64) {
    _ = joined(depth: UInt32(count) + 1, at: version)
  }

  /// The value of `version`; nil if neither the window nor the cell holds it.
  func value(atVersion version: UInt64, _ roster: Roster) -> Value? {
    let age = roster.version &- version
    if age == 0 { return value }
    return age < UInt64(window.count) ? window.node(age: Int(age)).value : nil
  }
}
