/// What a cell keeps because another cell that is derived from it has not read it yet.
package struct KeptUpdates: Sendable {
  /// The number of unread updates.
  package let count: UInt64
  /// The number of positions in the log of the cell.
  package let positions: Int

  package init(count: UInt64, positions: Int) {
    self.count = count
    self.positions = positions
  }

  /// What is kept for all these positions of a junction in one cell; nil if there are none.
  package init?(whileLocked inputs: some Sequence<AnyJunctionInput>) {
    let unread = inputs.compactMap(\.unreadCountWhileLocked)
    guard let most = unread.max() else { return nil }
    self.init(count: most, positions: unread.count)
  }
}
