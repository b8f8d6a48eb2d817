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
    var summary = locked { CellSummary(whileLocked: $0, of: self) }
    let followers = summary.takeFollowers()
    let deliverers = summary.takeDeliverers()
    var links: [(cell: AnyCell, kept: KeptUpdates?)] = followers.map {
      ($0, $0.upstream?.keptUpdates(in: self, for: $0))
    }
    var observers = ObserverList()
    var readers = summary.readers
    for deliverer in deliverers {
      if let cell = deliverer.fedCell {
        links.append((cell, locked { deliverer.unreadWhileLocked($0) }))
        readers -= 1
      } else if let lane = deliverer as? Lane {
        readers -= describe(lane, &observers)
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
      observers.all.filter { $0.backlog == .unbounded }.map(\.lag)
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
      observers: observers.all,
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

  // Adds the observers of a lane to `observers`. Returns the number of observations that the cell counted among its
  // readers at the first look.
  private func describe(_ lane: Lane, _ observers: inout ObserverList) -> Int {
    let context = lane.place
    var count: Int?
    // The parts that were described, so that no other object has the identity of one of their observations.
    var parts: [[ObservationDescription]] = []
    // The observations in `parts`, once the lane has begun again.
    var known: Set<ObjectIdentifier>?
    while true {
      let former = parts.last ?? []
      let part = locked { lane.descriptionWhileLocked(after: former, limit: Self.observersPerLock, $0) }
      count = count ?? part.count
      if part.beginsAgain, known == nil {
        known = Set(parts.lazy.joined().map { ObjectIdentifier($0.observation) })
      }
      for description in part.observations {
        let isNew = known?.insert(ObjectIdentifier(description.observation)).inserted ?? true
        if isNew, !description.observation.hasEnded {
          observers.append(description, context, isBusy: part.isBusy)
        }
      }
      // Under that hold of the lock there was nothing more.
      if part.observations.count < Self.observersPerLock { return count ?? 0 }
      parts.append(part.observations)
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
  // Copies of tables, which share their storage with the cell. So a copy takes the same time for any number of entries.
  // While such a copy exists, a thread that changes the table makes a copy of all entries, under the lock. So the
  // functions below take the entries out as soon as possible.
  private var delivererTable: DelivererTable
  private var followers: [ObjectIdentifier: AnyCell]

  init(whileLocked roster: Roster, of cell: AnyCell) {
    version = roster.version
    isFinished = roster.isFinished
    readers = roster.readers
    window = cell.windowCountWhileLocked()
    unboundedReaders = cell.unboundedReaderCountWhileLocked()
    endWaiters = roster.endWaiterCount
    delivererTable = roster.delivererTable
    followers = roster.followers
    guard ThreadSanitizer.isOn else { return }
    // The sanitizer does not see that counting references orders the reads of a shared table before later writes.
    delivererTable.unshare()
    followers.reserveCapacity(followers.count)
  }

  // Returns the deliverers in the order of their addresses. A table has no order, and with very many lanes, most of the
  // time for a description goes by waiting for memory: lanes that began one after the other are often neighbours there.
  mutating func takeDeliverers() -> [Deliverer] {
    let deliverers = delivererTable.deliverers
    delivererTable = DelivererTable()
    return deliverers.sorted { ObjectIdentifier($0) < ObjectIdentifier($1) }
  }

  mutating func takeFollowers() -> [AnyCell] {
    defer { followers = [:] }
    return Array(followers.values)
  }
}

/// The observers of a cell, as far as they were described.
private struct ObserverList {
  private(set) var all: [BindingDiagnostics.Observer] = []
  // The last call site. Many observations of a cell have the same, so its text is made once.
  private var site = CallSite()
  private var location: CodeLocation?

  mutating func append(_ description: ObservationDescription, _ context: String, isBusy: Bool) {
    if description.site != site {
      site = description.site
      location = site.location
    }
    all.append(
      BindingDiagnostics.Observer(
        location: location,
        context: context,
        backlog: Backlog(depth: description.depth),
        isBusy: isBusy,
        lag: description.lag,
        endsWithOwner: description.hasOwner
      )
    )
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
