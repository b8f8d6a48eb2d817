extension AnyCell {
  /// The cells that writers write: the cells that this one follows, or else the cell itself.
  @usableFromInline final var sources: [AnyCell] { upstream?.sources ?? [self] }

  /// The living actors of `sources`.
  @usableFromInline final var livingHosts: [any Actor] { sources.compactMap(\.host) }

  /// The number of readers of this cell, and of the cells that follow it. A relay counts as one reader, however many read
  /// the cell that it feeds.
  package final var readerCount: Int {
    let (readers, junctions) = locked { ($0.readers, Array($0.junctions.values)) }
    return junctions.reduce(readers) { sum, follower in sum + follower.locked { $0.readers } }
  }

  /// This cell, and the cells that follow it and have readers.
  package final var withFollowers: [AnyCell] {
    [self] + locked { Array($0.junctions.values) }
  }
}
