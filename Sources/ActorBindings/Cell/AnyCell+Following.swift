extension AnyCell {
  /// The cells that writers write: the cells that this cell follows, or this cell if it follows none.
  @usableFromInline final var sources: [AnyCell] { upstream?.sources ?? [self] }

  /// The cells whose ends together are the end of this cell. A writer's cell ends by itself.
  final var endingCells: [AnyCell] { upstream?.endingCells ?? sources }

  /// The actors that own `sources` and are still alive.
  @usableFromInline final var livingHosts: LivingHosts {
    guard let sources = upstream?.sources else { return LivingHosts(first: host) }
    return LivingHosts(first: nil, others: sources.compactMap(\.host))
  }

  /// The number of readers of this cell, and of the cells that follow it. A relay counts as one reader, whatever the
  /// number of readers of its own cell.
  package final var readerCount: Int {
    let roster = snapshotOfReaders
    return roster.followers.reduce(roster.count) { $0 + $1.locked { $0.readers } }
  }

  /// This cell, and each cell that follows it and has readers.
  package final var withFollowers: [AnyCell] { [self] + snapshotOfReaders.followers }

  private final var snapshotOfReaders: ReaderSnapshot {
    locked { ReaderSnapshot(whileLocked: $0) }
  }
}

/// The readers of a cell at one instant.
private struct ReaderSnapshot: Sendable {
  let count: Int
  let followers: [AnyCell]

  init(whileLocked roster: Roster) {
    count = roster.readers
    followers = Array(roster.followers.values)
  }
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
