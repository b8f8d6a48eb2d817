extension AnyCell {
  /// The cells that writers write: the cells that this one follows, or else the cell itself.
  @usableFromInline final var sources: [AnyCell] { upstream?.sources ?? [self] }

  /// The living actors of `sources`.
  @usableFromInline final var livingHosts: [any Actor] { sources.compactMap(\.host) }

  /// The number of readers of this cell, and of the cells that follow it. A relay counts as one reader, however many read
  /// the cell that it feeds.
  package final var readerCount: Int {
    let roster = snapshotOfReaders
    return roster.followers.reduce(roster.count) { sum, follower in sum + follower.locked { $0.readers } }
  }

  /// This cell, and the cells that follow it and have readers.
  package final var withFollowers: [AnyCell] {
    [self] + snapshotOfReaders.followers
  }

  private final var snapshotOfReaders: ReaderSnapshot {
    locked { ReaderSnapshot(count: $0.readers, followers: Array($0.followers.values)) }
  }
}

/// The readers of a cell at one instant.
private struct ReaderSnapshot: Sendable {
  let count: Int
  let followers: [AnyCell]
}
