internal import Synchronization

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
    return roster.followers.reduce(roster.count) { $0 + $1.cell.locked { $0.readers } }
  }

  /// This cell, and each cell that follows it and has readers. Combinations come in the order in which they began to
  /// follow.
  package final var withFollowers: [AnyCell] {
    [self] + snapshotOfReaders.followers.sorted { $0.age > $1.age }.map(\.cell)
  }

  private final var snapshotOfReaders: ReaderSnapshot {
    locked { ReaderSnapshot(whileLocked: $0) }
  }
}

/// The readers of a cell at one instant.
private struct ReaderSnapshot: Sendable {
  struct Follower: Sendable {
    let cell: AnyCell
    /// The number of junctions that have begun to follow their cells since this one did.
    let age: UInt32
  }

  let count: Int
  let followers: [Follower]

  init(whileLocked roster: Roster) {
    count = roster.readers
    let now = Upstream.begun.load(ordering: .relaxed)
    followers = roster.followers.values.map {
      Follower(cell: $0, age: now &- ($0.upstream?.beginWhileLocked ?? 0))
    }
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
