extension AnyCell {
  /// The cells that writers write: the cells that this cell follows, or this cell if it follows none.
  @usableFromInline final var sources: [AnyCell] { upstream?.sources ?? [self] }

  /// The actors that own `sources` and are still alive.
  @usableFromInline final var livingHosts: LivingHosts {
    guard let sources = upstream?.sources else { return LivingHosts(first: host) }
    return LivingHosts(first: nil, others: sources.compactMap(\.host))
  }

  /// The number of readers of this cell, and of the cells that follow it. A relay counts as one reader, whatever the
  /// number of readers of its own cell.
  package final var readerCount: Int {
    let roster = snapshotOfReaders
    return roster.followers.reduce(roster.count) { $0 + $1.cell.locked { $0.readers } }
  }

  /// This cell, and each cell that follows it and has readers, in the order in which they began to follow it.
  package final var withFollowers: [AnyCell] {
    [self] + snapshotOfReaders.followers.inOrder
  }

  private final var snapshotOfReaders: ReaderSnapshot {
    locked { ReaderSnapshot(count: $0.readers, followers: Array($0.followers.values)) }
  }
}

/// The readers of a cell at one instant.
private struct ReaderSnapshot: Sendable {
  let count: Int
  let followers: [Roster.Follower]
}

/// The actors that own some cells, for a reader that keeps them alive. One actor takes no array.
@usableFromInline
struct LivingHosts: Sendable {
  private let first: (any Actor)?
  private let others: [any Actor]

  fileprivate init(first: (any Actor)?, others: [any Actor] = []) {
    self.first = first
    self.others = others
  }
}
