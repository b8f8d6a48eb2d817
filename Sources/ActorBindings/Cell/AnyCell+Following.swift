extension AnyCell {
  /// The cells that are written: itself, or those that it follows.
  @usableFromInline final var sources: [AnyCell] { inflow?.sources ?? [self] }

  /// The actors of these cells, as far as they are alive.
  @usableFromInline final var livingHosts: [any Actor] { sources.compactMap(\.host) }

  /// How many read this cell, or a joint cell that follows it. A relay is one of its readers, whatever it feeds.
  package final var readerCount: Int {
    let (readers, junctions) = locked { ($0.readers, Array($0.junctions.values)) }
    return junctions.reduce(readers) { sum, follower in sum + follower.locked { $0.readers } }
  }

  /// This cell, and those that follow it and have readers.
  package final var withFollowers: [AnyCell] {
    [self] + locked { Array($0.junctions.values) }
  }
}
