import ActorBindings
import Dispatch
import Foundation

/// How much longer stress tests run than they do in CI: set `ACTORBINDINGS_STRESS=20` for a long night.
let stressScale = max(1, Int(ProcessInfo.processInfo.environment["ACTORBINDINGS_STRESS"] ?? "1") ?? 1)

extension BindableActor {
  /// Returns when exactly `count` lanes and loops are parked in this cell.
  nonisolated func parked(_ count: Int) async {
    await eventually { cell.locked { $0.idle.members.count } == count }
  }
}

extension BindingStream {
  /// All that a loop is handed until it ends.
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

/// Runs `body` again and again, and lets others run now and then.
func repeatedly(_ count: Int, _ body: (Int) throws -> Void) async rethrows {
  for round in 0..<count {
    if round % 100 == 99 { await Task.yield() }
    try body(round)
  }
}

/// Returns when `condition` holds; others run meanwhile.
func eventually(
  isolation: isolated (any Actor)? = #isolation,
  _ condition: () async -> Bool
) async {
  while await !condition() { await giveWay() }
}

/// Lets others run: tasks, and what Dispatch has in its queues too.
///
/// `Task.yield()` does not do for those who wait. On Linux all tasks are in one queue of Dispatch, which is as wide as
/// the machine has processors. With one processor it keeps the only thread that the queues share for as long as there
/// is a task in it, and a task that yields again and again always is.
func giveWay() async {
  await withCheckedContinuation { continuation in
    DispatchQueue.global().async { continuation.resume() }
  }
}

/// Runs `body` on a thread of its own, which may be blocked.
func onThread(_ body: @escaping @Sendable () -> Void) async {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread {
      body()
      continuation.resume()
    }
  }
}

/// Says when it dies.
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

  /// Whether somebody waits in `settled()` for a lane of this cell.
  nonisolated var isAwaited: Bool { settledCallCount > 0 }

  /// How many are noted in the lanes of this cell as waiting in `settled()`.
  nonisolated var settledCallCount: Int {
    cell.locked { roster in
      roster.lanes.values.reduce(0) { $0 + (($1 as? Lane)?.settlerCountWhileLocked ?? 0) }
    }
  }
}

extension Roster {
  /// Goes on to a later version, as after several writes.
  mutating func updated(times: Int) {
    for _ in 0..<times { updated() }
  }
}
