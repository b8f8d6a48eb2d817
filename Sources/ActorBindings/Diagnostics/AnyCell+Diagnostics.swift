extension AnyCell {
  package var diagnostics: BindingDiagnostics { diagnostics(ReaderRecord.byCell) }

  func diagnostics(_ records: [ObjectIdentifier: [ReaderRecord]]) -> BindingDiagnostics {
    var described = [ObjectIdentifier(self): self]
    return diagnostics(records, &described)
  }

  // A cell that is derived from several cells appears once. Otherwise a graph of n such cells could take 2ⁿ lines.
  private func diagnostics(
    _ records: [ObjectIdentifier: [ReaderRecord]],
    _ described: inout [ObjectIdentifier: AnyCell]
  ) -> BindingDiagnostics {
    let summary = locked { CellSummary(whileLocked: $0, of: self) }
    var observers: [BindingDiagnostics.Observer] = []
    var derivedCells = summary.followers
    var readers = summary.readers
    for deliverer in summary.deliverers {
      if let cell = deliverer.fedCell {
        derivedCells.append(cell)
        readers -= 1
      } else if let lane = deliverer as? Lane {
        let described = self.observers(of: lane)
        observers += described.observers
        readers -= described.count
      }
    }
    let streams = (records[ObjectIdentifier(self)] ?? []).compactMap { $0.stream(at: summary.version) }
    let logged =
      observers.filter { $0.backlog == .unbounded }.map(\.lag)
      + streams.filter { $0.backlog == .unbounded }.map(\.lag)
    let derived = derivedCells.compactMap { cell in
      described.updateValue(cell, forKey: ObjectIdentifier(cell)) == nil
        ? cell.diagnostics(records, &described) : nil
    }
    let label = label
    return BindingDiagnostics(
      kind: label.kind,
      name: label.name,
      location: label.location,
      version: summary.version,
      isFinished: summary.isFinished,
      hasOwner: upstream != nil || host != nil,
      observers: observers,
      streams: streams,
      unrecordedStreamCount: max(0, readers - streams.count),
      keptUpdateCount: summary.window + Int(clamping: logged.max() ?? 0),
      endWaiterCount: summary.endWaiters,
      derived: derived,
      id: ObjectIdentifier(self)
    )
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
  let endWaiters: Int
  let deliverers: [Deliverer]
  let followers: [AnyCell]

  init(whileLocked roster: Roster, of cell: AnyCell) {
    version = roster.version
    isFinished = roster.isFinished
    readers = roster.readers
    window = cell.windowCountWhileLocked()
    endWaiters = roster.endWaiterCount
    deliverers = roster.deliverers
    followers = Array(roster.followers.values)
  }
}

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
    // The loop may have received a newer version meanwhile.
    let lag = version &- seen
    return BindingDiagnostics.Stream(
      location: site.location,
      taskName: taskName,
      backlog: Backlog(depth: depth),
      isIterated: stream == nil,
      lag: lag > Int64.max ? 0 : lag
    )
  }

  /// All records, by the cell that the reader reads.
  static var byCell: [ObjectIdentifier: [ReaderRecord]] {
    Dictionary(grouping: all.all.map(\.record), by: \.cell)
  }
}
