extension AnyCell {
  package var diagnostics: BindingDiagnostics { diagnostics(ReaderRecord.byCell) }

  func diagnostics(_ records: [ObjectIdentifier: [ReaderRecord]]) -> BindingDiagnostics {
    var described = Described()
    return diagnostics(records, &described)
  }

  // A cell that is derived from several cells appears once. Otherwise a graph of n such cells could take 2ⁿ lines.
  private func diagnostics(
    _ records: [ObjectIdentifier: [ReaderRecord]],
    _ described: inout Described
  ) -> BindingDiagnostics {
    described.cells[ObjectIdentifier(self)] = self
    let summary = locked { CellSummary(whileLocked: $0, of: self) }
    var observers: [BindingDiagnostics.Observer] = []
    var links: [(cell: AnyCell, kept: KeptUpdates?)] = summary.followers.map {
      ($0, $0.upstream?.keptUpdates(in: self, for: $0))
    }
    var readers = summary.readers
    for (deliverer, unread) in summary.deliverers {
      if let cell = deliverer.fedCell {
        links.append((cell, unread))
        readers -= 1
      } else if let lane = deliverer as? Lane {
        let described = self.observers(of: lane)
        observers += described.observers
        readers -= described.count
      }
    }
    let streams = (records[ObjectIdentifier(self)] ?? []).compactMap { $0.stream(at: summary.version) }
    // The cell for which this cell keeps most comes first.
    links.sort { $0.kept?.count ?? 0 > $1.kept?.count ?? 0 }
    var derived: [BindingDiagnostics] = []
    for (cell, _) in links where described.cells[ObjectIdentifier(cell)] == nil {
      derived.append(cell.diagnostics(records, &described))
    }
    let derivations = links.map { described.derivation(of: $0, kept: $1) }
    let lags =
      observers.filter { $0.backlog == .unbounded }.map(\.lag)
      + streams.filter { $0.backlog == .unbounded }.map(\.lag)
      + links.compactMap { $0.kept.map { clampedLag($0.count) } }
    let knownPositions = links.reduce(lags.count) { $0 + ($1.kept.map { $0.positions - 1 } ?? 0) }
    let unrecorded = max(0, readers - streams.count)
    let label = label
    let diagnostics = BindingDiagnostics(
      kind: label.kind,
      name: label.name,
      location: label.location,
      version: summary.version,
      isFinished: summary.isFinished,
      hasOwner: upstream != nil || host != nil,
      observers: observers,
      streams: streams,
      unrecordedStreamCount: unrecorded,
      unrecordedUnboundedCount: min(unrecorded, max(0, summary.unboundedReaders - knownPositions)),
      keptUpdateCount: summary.window + Int(clamping: lags.max() ?? 0),
      endWaiterCount: summary.endWaiters,
      waitingCallCount: waitingCallCount,
      derivations: derivations,
      derived: derived,
      id: ObjectIdentifier(self)
    )
    described.readers[ObjectIdentifier(self)] = diagnostics.slowestReader
    return diagnostics
  }

  // - Returns: Also the number of observations that the cell counts among its readers, at the first look.
  private func observers(of lane: Lane) -> (observers: [BindingDiagnostics.Observer], count: Int) {
    let context = lane.place
    var found: [BindingDiagnostics.Observer] = []
    var count: Int?
    // The observations that were described already, with the array that keeps their identities unique.
    var known: Set<ObjectIdentifier> = []
    var kept: [[ObservationDescription]] = []
    var last: [Observation] = []
    while true {
      let part = locked { lane.descriptionWhileLocked(after: last, limit: Self.observersPerLock, $0) }
      count = count ?? part.count
      kept.append(part.observations)
      last = part.observations.map(\.observation)
      for description in part.observations
      where known.insert(ObjectIdentifier(description.observation)).inserted {
        guard !description.observation.hasEnded else { continue }
        found.append(BindingDiagnostics.Observer(description, context, isBusy: part.isBusy))
      }
      // Under that hold of the lock there was nothing more.
      if part.observations.count < Self.observersPerLock { return (found, count ?? 0) }
    }
  }

  /// The number of observations that are described under one hold of the lock.
  private static var observersPerLock: Int { 500 }
}

/// What diagnostics read under one hold of the lock.
private struct CellSummary: Sendable {
  let version: UInt64
  let isFinished: Bool
  let readers: Int
  let window: Int
  let unboundedReaders: Int
  let endWaiters: Int
  let deliverers: [(deliverer: Deliverer, unread: KeptUpdates?)]
  let followers: [AnyCell]

  init(whileLocked roster: Roster, of cell: AnyCell) {
    version = roster.version
    isFinished = roster.isFinished
    readers = roster.readers
    window = cell.windowCountWhileLocked()
    unboundedReaders = cell.unboundedReaderCountWhileLocked()
    endWaiters = roster.endWaiterCount
    deliverers = roster.deliverers.map { ($0, $0.unreadWhileLocked(roster)) }
    followers = Array(roster.followers.values)
  }
}

/// The cells of a tree that are described already, or whose description is under way.
private struct Described {
  // The cells too, so that no other cell gets the identity of one of them.
  var cells: [ObjectIdentifier: AnyCell] = [:]
  /// For each of them, the reader that is furthest behind; nil if there is none.
  var readers: [ObjectIdentifier: String?] = [:]

  func derivation(of cell: AnyCell, kept: KeptUpdates?) -> BindingDiagnostics.Derivation {
    let id = ObjectIdentifier(cell)
    let isPulled = cell.upstream?.isPulled ?? false
    return BindingDiagnostics.Derivation(
      kind: cell.label.kind,
      keptUpdateCount: Int(clamping: clampedLag(kept?.count ?? 0)),
      slowestReader: isPulled ? readers[id] ?? nil : nil,
      id: id
    )
  }
}

// The reader may have received a newer version than the one from which its lag was computed.
private func clampedLag(_ lag: UInt64) -> UInt64 { lag > Int64.max ? 0 : lag }

extension BindingDiagnostics.Observer {
  fileprivate init(_ description: ObservationDescription, _ context: String, isBusy: Bool) {
    self.init(
      location: description.location,
      context: context,
      backlog: Backlog(depth: description.depth),
      isBusy: isBusy,
      lag: description.lag,
      endsWithOwner: description.hasOwner
    )
  }
}

extension ReaderRecord {
  /// Describes the loop or the stream; nil if another record describes the loop that has taken the stream over.
  fileprivate func stream(at version: UInt64) -> BindingDiagnostics.Stream? {
    if let stream, !stream.isWaiting { return nil }
    return BindingDiagnostics.Stream(
      location: site.location,
      taskName: taskName,
      backlog: Backlog(depth: depth),
      isIterated: stream == nil,
      lag: clampedLag(version &- seen)
    )
  }

  /// All records, by the cell that the reader reads.
  static var byCell: [ObjectIdentifier: [ReaderRecord]] {
    Dictionary(grouping: all.all.map(\.record), by: \.cell)
  }
}
