import ActorBindings
import Dispatch
import Foundation

private let stress = ProcessInfo.processInfo.environment["ACTORBINDINGS_STRESS"].flatMap(Double.init) ?? 1

/// Returns the number of rounds of a stress test: `ACTORBINDINGS_STRESS=20` makes a night of them, and
/// `ACTORBINDINGS_STRESS=0.1` leaves a tenth, for a build that runs slowly.
func stressed(_ rounds: Int) -> Int {
  max(1, Int((Double(rounds) * stress).rounded()))
}

/// Returns the rows that a test tries, with their numbers: all, or with `ACTORBINDINGS_STRESS=0.1` each tenth. The first
/// of these is another row for each `seed`.
func stressed<Row>(_ rows: [Row], seed: Int) -> [(number: Int, row: Row)] {
  let step = max(1, Int((1 / stress).rounded()))
  return stride(from: seed % step, to: rows.count, by: step).map { ($0, rows[$0]) }
}

extension BindableActor {
  /// Returns when exactly `count` lanes and loops are parked in this cell.
  nonisolated func parked(_ count: Int) async {
    await eventually { cell.locked { $0.idle.members.count } == count }
  }
}

extension BindingStream {
  /// Returns all elements that a loop receives until it ends.
  func elements(isolation: isolated (any Actor)? = #isolation) async -> [Element] {
    var elements: [Element] = []
    for await element in self { elements.append(element) }
    return elements
  }
}

/// Runs `body` on `count` tasks at once.
func concurrently(_ count: Int, _ body: @escaping @Sendable (Int) async -> Void) async {
  await withTaskGroup(of: Void.self) { group in
    for index in 0..<count { group.addTask { await body(index) } }
  }
}

/// Runs `body` repeatedly, and lets other tasks run at intervals.
func repeatedly(_ count: Int, _ body: (Int) throws -> Void) async rethrows {
  for round in 0..<count {
    if round % 100 == 99 { await Task.yield() }
    try body(round)
  }
}

/// Returns when `condition` holds. Other tasks run meanwhile.
func eventually(
  isolation: isolated (any Actor)? = #isolation,
  _ condition: () async -> Bool
) async {
  while await !condition() { await giveWay() }
}

/// Lets other work run: tasks, and the blocks in Dispatch queues.
///
/// `Task.yield()` does not let Dispatch queues run. On Linux all tasks are in one Dispatch queue, which has one thread
/// for each processor. With one processor this queue keeps the only thread that all queues share for as long as it has
/// a task, and a task that yields in a loop is always in it.
func giveWay() async {
  await withCheckedContinuation { continuation in
    DispatchQueue.global().async { continuation.resume() }
  }
}

/// Runs `body` on a separate thread, which `body` may block.
func onThread(_ body: @escaping @Sendable () -> Void) async {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread {
      body()
      continuation.resume()
    }
  }
}

/// An object that calls a closure in its deinit.
final class Mortal: Sendable {
  private let onDeinit: @Sendable () -> Void

  init(_ onDeinit: @escaping @Sendable () -> Void) {
    self.onDeinit = onDeinit
  }

  deinit {
    onDeinit()
  }
}

extension BindableActor {
  /// Returns when exactly `count` loops are parked in this cell.
  nonisolated func loopsParked(_ count: Int) async {
    await eventually { cell.locked { $0.idle.members.count { !($0 is Lane) } } == count }
  }

  /// Whether a task waits in `settled()` for a lane of this cell.
  nonisolated var isAwaited: Bool { settledCallCount > 0 }

  /// The number of tasks that the lanes of this cell record as waiting in `settled()`.
  nonisolated var settledCallCount: Int {
    cell.locked { roster in
      roster.delivererTable.all.reduce(0) { $0 + (($1 as? Lane)?.settledCallCountWhileLocked ?? 0) }
    }
  }
}

extension Roster {
  /// Goes on to a later version, as after several writes.
  mutating func updated(times: Int) {
    for _ in 0..<times { updated() }
  }
}
