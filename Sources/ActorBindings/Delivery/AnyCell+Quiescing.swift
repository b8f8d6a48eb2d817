// The problem: what a test has caused may be anywhere: in a lane, in a reader of a relay, in a task that runs a function
// of the user, and each of these may cause something in another. A wait for all of them, one after the other, may miss
// what moves on meanwhile to a place that was visited before. So this waits in rounds: a round in which no task was
// busy, and after which each cell still has the version that it had before, shows that nothing was under way.
//
// Everything that is under way shows in one of these two: a lane or a reader of a relay works only after a write, and
// the write has raised the version of a cell; what else may write is a task with a record, which is busy until it has
// written.
extension AnyCell {
  /// Waits until nothing is under way in these cells, in all cells that are derived from them, and in the cells upstream
  /// of those: each observer has handled what was published, and each task of the library has ended, or waits for time or
  /// for the test. Returns when the task is cancelled.
  package static func quiesced(_ cells: [AnyCell]) async {
    while !Task.isCancelled {
      let graph = CellGraph(around: cells)
      let versions = graph.versions
      for cell in graph.cells { await cell.settled() }
      var hasWaited = false
      for task in graph.tasks where await task.idle() { hasWaited = true }
      if !hasWaited, CellGraph(around: cells).versions == versions { return }
    }
  }

  /// The tasks that `quiesced` waits for now.
  package static func busyTasks(around cells: [AnyCell]) -> [CellTask] {
    CellGraph(around: cells).tasks.filter(\.isBusy)
  }
}

/// Some cells, all cells that are derived from them, and all cells upstream of those.
private struct CellGraph {
  private(set) var cells: [AnyCell] = []
  private var found: Set<ObjectIdentifier> = []

  init(around roots: [AnyCell]) {
    var derived: [ObjectIdentifier: [AnyCell]] = [:]
    for cell in DerivedCells.all {
      for feeder in cell.feeders { derived[ObjectIdentifier(feeder.cell), default: []].append(cell) }
    }
    add(roots) { $0.cellsDerivedByReaders + (derived[ObjectIdentifier($0)] ?? []) }
    add(cells) { $0.feeders.map(\.cell) }
  }

  // Each cell once, however many ways lead to it.
  private mutating func add(_ roots: [AnyCell], _ next: (AnyCell) -> [AnyCell]) {
    var rest = roots
    var visited: Set<ObjectIdentifier> = []
    while let cell = rest.popLast() {
      guard visited.insert(ObjectIdentifier(cell)).inserted else { continue }
      if found.insert(ObjectIdentifier(cell)).inserted { cells.append(cell) }
      rest += next(cell)
    }
  }

  // Also whether the cells have ended.
  var versions: [ObjectIdentifier: UInt64] {
    var versions: [ObjectIdentifier: UInt64] = [:]
    for cell in cells { versions[ObjectIdentifier(cell)] = cell.locked { $0.watermark.rawValue } }
    return versions
  }

  var tasks: [CellTask] {
    CellTask.all.filter { task in task.cell.map { found.contains(ObjectIdentifier($0)) } ?? false }
  }
}

extension AnyCell {
  /// The cells that follow this cell, and the cells that readers of relays write.
  fileprivate var cellsDerivedByReaders: [AnyCell] {
    withFollowers.dropFirst() + locked { $0.deliverers }.compactMap(\.fedCell)
  }
}
