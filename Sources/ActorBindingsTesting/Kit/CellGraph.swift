import ActorBindings

// The problem: the consequences of a write may be in a lane, in a reader of a relay, or in a task. Each of them may cause
// more work elsewhere. A single pass over all of them misses work that moves to a place already visited. So this function
// repeats rounds until one round finds no busy task, waits for no deliverer, and leaves each cell with the version and the
// number of readers that it had before. A round looks once at each cell and at each task, from the cells upstream to those
// downstream, so two rounds are enough if nothing else writes.
//
// All work shows as one of these: a lane or a reader of a relay works only after a write, which raises a version, or after
// a reader has come; what else may write is a task with a record, which is busy until it has written.
extension AnyCell {
  /// Waits until nothing is under way in these cells, and in all cells that are derived from them: each observer has
  /// handled what was published, and each task that works for these cells, or for the cells upstream of them, has ended,
  /// or waits for time or for the test.
  ///
  /// - Parameter isOver: Whether the caller gives up. Called before each round.
  /// - Returns: False if the caller has given up, or if its task was cancelled.
  static func quiesced(_ cells: [AnyCell], until isOver: () -> Bool) async -> Bool {
    while !Task.isCancelled, !isOver() {
      let graph = CellGraph(around: cells)
      let marks = graph.marks
      let wasBusy = graph.tasks.contains { $0.isBusy }
      var hasWaited = false
      for feeder in graph.upstreamFeeders where await feeder.carriedOn() { hasWaited = true }
      for cell in graph.downstream where await cell.deliverersSettled() { hasWaited = true }
      for task in graph.tasks where await task.idle() { hasWaited = true }
      let isQuiet = !wasBusy && !hasWaited && CellGraph(around: cells).marks == marks
      if !hasWaited { await CooperativeYield.callDidNotSuspend() }
      if isQuiet { return !Task.isCancelled }
    }
    return false
  }

  /// The tasks that `quiesced` waits for now.
  static func busyTasks(around cells: [AnyCell]) -> [CellTask] {
    CellGraph(around: cells).tasks.filter(\.isBusy)
  }
}

/// Some cells, all cells that are derived from them, and all cells upstream of those.
private struct CellGraph {
  /// The given cells, and all that are derived from them.
  private(set) var downstream: [AnyCell] = []
  /// What carries values of cells upstream, the farthest first.
  private(set) var upstreamFeeders: [Feeder] = []
  private var upstream: [AnyCell] = []
  private var found: Set<ObjectIdentifier> = []

  init(around roots: [AnyCell]) {
    downstream = add(roots) { $0.derivedCells }
    let given = found
    upstream = add(downstream) { $0.feeders.map(\.cell) }
    upstreamFeeders = (downstream + upstream).reversed().flatMap { cell in
      cell.feeders.filter { !given.contains(ObjectIdentifier($0.cell)) }
    }
  }

  // Returns the cells that were not found before. Each cell once, however many ways lead to it.
  private mutating func add(_ roots: [AnyCell], _ next: (AnyCell) -> [AnyCell]) -> [AnyCell] {
    var (rest, visited, new) = (roots, Set<ObjectIdentifier>(), [AnyCell]())
    while let cell = rest.popLast() {
      guard visited.insert(ObjectIdentifier(cell)).inserted else { continue }
      if found.insert(ObjectIdentifier(cell)).inserted { new.append(cell) }
      rest += next(cell)
    }
    return new
  }

  /// What shows that something has happened to a cell.
  struct Mark: Hashable, Sendable {
    private let watermark: UInt64
    private let readers: Int

    init(whileLocked roster: Roster) {
      watermark = roster.watermark.rawValue
      readers = roster.readers
    }
  }

  var marks: [ObjectIdentifier: Mark] {
    var marks: [ObjectIdentifier: Mark] = [:]
    for cell in downstream + upstream {
      marks[ObjectIdentifier(cell)] = cell.locked { Mark(whileLocked: $0) }
    }
    return marks
  }

  var tasks: [CellTask] {
    CellTask.all.filter { task in task.cell.map { found.contains(ObjectIdentifier($0)) } ?? false }
  }
}

extension AnyCell {
  /// The cells that follow this cell, and those that readers of relays and observations of this cell write.
  fileprivate var derivedCells: [AnyCell] {
    withFollowers.dropFirst() + locked { $0.deliverers }.compactMap(\.fedCell) + DerivedCells.of(self)
  }

  // Waits for the deliverers of this cell only: the graph has the followers too. Returns whether the task has suspended.
  fileprivate func deliverersSettled() async -> Bool {
    let call = SettledCall()
    read(for: .reading) { call.awaitsDeliverersWhileLocked($0) }
    return await call.wait()
  }
}
