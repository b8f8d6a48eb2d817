public import ActorBindings
internal import CActorBindingsTesting

/// Waits until nothing is under way in the sources, and in what is derived from them.
///
/// ```swift
/// model.text.send("cat")
/// // Everything that the text causes has happened:
/// try await quiesce(model.text)
/// #expect(model.title.value == "cat")
/// ```
///
/// When this returns, all observers of the sources have handled what was published. The same holds for all cells that
/// are derived from the sources, however many steps away: combinations, operators, watched keys, cells that were made by
/// `BindableActor(of:)`. Functions that `mapLatest`, `asyncMap`, a `LoadingCell` or a started call of an `AsyncAction`
/// runs for one of these cells have returned. So a test can wait for cells that the code under test hides, if it knows
/// the cells from which they are derived.
///
/// A value that waits for a timer counts as done. So does a function that sleeps by a ``ManualClock`` or waits at a
/// ``Gate``. Every other wait of a function counts as work:
/// - for a child task, also if only the child task sleeps or waits at a gate
/// - in `load()` of a `LoadingCell`
/// - for its turn in an `AsyncAction`
/// - for a value, in `first(where:)`, `first(where:timeout:)` or a loop
///
/// The call fails, with a message, if a handler waits on a ``ManualContext`` that the test does not pump. For the calls of
/// an action, name its `isExecuting`. This does not wait for:
/// - loops, and other tasks of your own
/// - shared cells and their stores
/// - cells that only a `bind`, a two-way binding or code of your own writes: name them too
/// - the next element of a sequence that a cell follows: `send` of a ``ScriptedFeed`` returns when the cell has it
///
/// - Parameters:
///   - sources: The cells, and other sources.
///   - limit: After this time the call fails. The limit only ends a test that would hang.
///   - fileID: The file of the call, for the message.
///   - filePath: The path of that file, for a test framework.
///   - line: The line of the call, for the message.
/// - Throws: `QuiescenceError` if the limit of time is over: its message says what is still under way.
///   `CancellationError` if the task is cancelled.
public func quiesce(
  _ sources: any BindingSource...,
  within limit: Duration = .seconds(10),
  fileID: StaticString = #fileID,
  filePath: StaticString = #filePath,
  line: UInt = #line
) async throws {
  let cells = sources.map { $0.rootCell }
  let wait = QuietWait(call: "quiesce", limit: limit, place: CallPlace(fileID, filePath, line))
  try await wait.run(around: { cells }) { await AnyCell.quiesced(cells, until: $0) }
}

extension BindingSource {
  var rootCell: AnyCell { cursor.root.cell }
}

/// A call that waits until nothing is under way.
struct QuietWait: Sendable {
  let call: String
  let limit: Duration
  let place: CallPlace

  /// Runs `body` until it returns or the limit is over.
  ///
  /// On one processor, a timer may never run while tasks follow each other without a pause. So `body` also looks at the
  /// time itself.
  ///
  /// - Parameters:
  ///   - cells: Returns the cells that the message is about.
  ///   - body: Receives a function that says whether the limit is over. Returns false if it has given up. It must return
  ///     when its task is cancelled.
  func run(
    around cells: @Sendable () -> [AnyCell],
    _ body: @escaping @Sendable (_ isOver: @Sendable () -> Bool) async -> Bool
  ) async throws {
    // A linker may leave out a module to which nothing refers. Without it, nothing would be waited for.
    // Not a precondition, because release builds drop the message of a precondition.
    if !actor_bindings_testing_was_loaded() { fatalError("the module CActorBindingsTesting is not linked") }
    // The explorer detects endless waits itself, and cannot control a real clock.
    if SchedulePoint.isExploring {
      _ = await body { false }
      return try Task.checkCancellation()
    }
    let end = ContinuousClock.now + min(limit, .seconds(1_000_000))
    let outcome = await withTaskGroup(of: Bool.self) { group in
      group.addTask { await body { ContinuousClock.now >= end } }
      group.addTask {
        try? await ContinuousClock().sleep(until: end)
        return false
      }
      let isDone = await group.next() ?? false
      // While the first task is not cancelled, what is under way is still there.
      let error = isDone || Task.isCancelled ? nil : QuiescenceError(self, around: cells())
      group.cancelAll()
      return error.map(Result<Void, QuiescenceError>.failure) ?? .success(())
    }
    try Task.checkCancellation()
    if case .failure(let error) = outcome { try error.report() }
  }
}

/// Something was still under way when the limit of time of `quiesce` or of `advance` was over.
///
/// ```
/// CatTests/QueryTests.swift:21: quiesce: still under way after 10.0 seconds:
///   a task of mapLatest at Cats/Query.swift:12
///   an observer at Cats/View.swift:30 on ManualContext, 1 behind
/// ```
public struct QuiescenceError: Error, KitError, CustomStringConvertible {
  let place: CallPlace
  let message: String

  /// Says which line waited, and what was still under way.
  public var description: String { "\(place): \(message)" }

  fileprivate init(_ wait: QuietWait, around cells: [AnyCell]) {
    let tasks = AnyCell.busyTasks(around: cells).compactMap { task in
      task.cell.map { "a task of \($0.diagnostics.shortTitle)" }
    }
    var visited: Set<ObjectIdentifier> = []
    let observers = cells.flatMap { cell in
      visited.insert(ObjectIdentifier(cell)).inserted ? cell.diagnostics.unsettledObservers : []
    }
    let longest = 10
    var lines = tasks + observers
    if lines.isEmpty { lines = ["writes that follow each other"] }
    if lines.count > longest { lines = lines.prefix(longest) + ["and \(lines.count - longest) more"] }
    let start = "\(wait.call): still under way after \(wait.limit):"
    place = wait.place
    message = ([start] + lines.map { "  \($0)" }).joined(separator: "\n")
  }
}

extension BindingDiagnostics {
  fileprivate var shortTitle: String { (name ?? kind) + (location.map { " at \($0)" } ?? "") }

  /// The observers of this cell, and of what is derived from it, that have something left to handle.
  fileprivate var unsettledObservers: [String] {
    let here = observers.filter { $0.isBusy || $0.lag > 0 }.map { observer in
      let place = observer.location.map { " at \($0)" } ?? ""
      return "an observer\(place) on \(observer.context), "
        + (observer.lag > 0 ? "\(observer.lag) behind" : "busy")
    }
    return here + derived.flatMap(\.unsettledObservers)
  }
}
