public import ActorBindings

/// Records what a source delivers, and lets a test wait for it.
///
/// ```swift
/// let recorder = Recorder(text.debounce(for: .seconds(3), clock: clock))
/// …
/// try await recorder.expect(["cat"])
/// ```
///
/// A recorder observes its source from its creation until it is deallocated or cancelled. By default it misses nothing,
/// and records on the thread of the writer.
///
/// Each function that waits has a limit of time. It is not part of what a test checks: it ends a test that would hang,
/// with a message that names the line of the call and what was received so far.
public final class Recorder<Value: Sendable>: Sendable {
  private let received = Received<Value>()
  private let token: BindingToken
  private let takenCount = BindableActor(0)

  /// Begins to record.
  ///
  /// - Parameters:
  ///   - source: The source to observe.
  ///   - context: Where the recorder observes it. With a `ManualContext`, the test decides when the recorder is busy.
  ///   - backlog: The number of values that may wait while the recorder is busy.
  public init(
    _ source: some BindingSource<Value>,
    on context: DeliveryContext = .immediate,
    backlog: Backlog = .unbounded
  ) {
    let received = received
    token = source.versioned().observe(on: context, backlog: backlog) { update in
      received.add(update)
    } onEnd: {
      received.progress.modify { $0.hasEnded = true }
    }
  }

  /// The values that were received so far.
  public var values: [Value] { updates.map(\.value) }

  /// The values that were received so far, with their versions and the numbers of skipped updates.
  public var updates: [Update<Value>] { received.updates }

  /// Whether the source has ended and the recorder has received everything.
  public var hasEnded: Bool { received.progress.value.hasEnded }

  /// Stops recording. What was received remains.
  public func cancel() {
    token.cancel()
  }

  /// Returns the first `count` values, when the recorder has received them.
  ///
  /// - Throws: `RecorderError` if the source ends before, or if the limit of time is over. `CancellationError` if the
  ///   task is cancelled.
  @discardableResult
  public func first(
    _ count: Int,
    within limit: Duration = .seconds(10),
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line
  ) async throws -> [Value] {
    let wait = Wait("\(count) values", limit, CallPlace(fileID, filePath, line))
    try await reached(wait) { $0.count >= count }
    return updates.prefix(count).map(\.value)
  }

  /// Returns the next value: the first call returns the first value, the second call the second value, and so on.
  ///
  /// - Throws: As `first` does.
  public func next(
    within limit: Duration = .seconds(10),
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line
  ) async throws -> Value {
    let index = takenCount.modify { count in
      defer { count += 1 }
      return count
    }
    let wait = Wait("value number \(index + 1)", limit, CallPlace(fileID, filePath, line))
    try await reached(wait) { $0.count > index }
    return updates[index].value
  }

  /// Returns all values, when the source has ended.
  ///
  /// - Throws: `RecorderError` if the limit of time is over. `CancellationError` if the task is cancelled.
  @discardableResult
  public func end(
    within limit: Duration = .seconds(10),
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line
  ) async throws -> [Value] {
    try await reached(Wait("the end", limit, CallPlace(fileID, filePath, line))) { $0.hasEnded }
    return values
  }

  /// Returns the first value that fits, when the recorder has received it.
  nonisolated(nonsending) func first(_ wait: Wait, where isExpected: (Value) throws -> Bool) async throws
    -> Value
  {
    let clock = ContinuousClock()
    let deadline = clock.now.advanced(by: wait.limit)
    var examined = 0
    while true {
      for update in updates[examined...] {
        if try isExpected(update.value) { return update.value }
        examined += 1
      }
      guard clock.now < deadline else { try RecorderError(wait, values: values, hasEnded: false).report() }
      let count = examined
      try await reached(wait, by: deadline) { $0.count > count }
    }
  }

  private func reached(
    _ wait: Wait,
    by deadline: ContinuousClock.Instant? = nil,
    _ isEnough: @escaping @Sendable (Progress) -> Bool
  ) async throws {
    let deadline = deadline ?? .now.advanced(by: wait.limit)
    let progress = received.progress
    if isEnough(progress.value) { return }
    let found = await withTaskGroup(of: Progress?.self) { group in
      group.addTask { await progress.first { isEnough($0) || $0.hasEnded } }
      group.addTask {
        try? await ContinuousClock().sleep(until: deadline)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
    if let found, isEnough(found) { return }
    try Task.checkCancellation()
    try RecorderError(wait, values: values, hasEnded: found != nil).report()
  }
}

extension Recorder where Value: Equatable {
  /// Waits until the recorder has received as many values as are expected, and compares them.
  ///
  /// Values that come later do not count: to check that none comes, make the source end, or cause a later value, and
  /// expect that value too.
  ///
  /// - Throws: `RecorderError` if the values differ, if the source ends before, or if the limit of time is over.
  ///   `CancellationError` if the task is cancelled.
  public func expect(
    _ expected: [Value],
    within limit: Duration = .seconds(10),
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line
  ) async throws {
    let wait = Wait("\(expected)", limit, CallPlace(fileID, filePath, line))
    try await reached(wait) { $0.count >= expected.count }
    let found = values
    if Array(found.prefix(expected.count)) != expected { try RecorderError(wait, values: found).report() }
  }
}

/// How far a recorder has come.
private struct Progress: Sendable {
  var count = 0
  var hasEnded = false
}

/// What a recorder has received.
///
/// The updates stand beside the cell that waiting calls read, and not in it: a cell would copy all updates to add one.
// @unchecked: `lock` guards the updates.
private final class Received<Value: Sendable>: @unchecked Sendable {
  let progress = BindableActor(Progress())
  private let lock = Lock()
  // Guarded by `lock`.
  private var storedUpdates: [Update<Value>] = []

  var updates: [Update<Value>] { lock.withLock { storedUpdates } }

  /// Adds an update, and then tells the calls that wait.
  func add(_ update: Update<Value>) {
    lock.withLock { storedUpdates.append(update) }
    progress.modify { $0.count += 1 }
  }
}

/// What a call waits for.
struct Wait: Sendable {
  let goal: String
  let limit: Duration
  let place: CallPlace

  init(_ goal: String, _ limit: Duration, _ place: CallPlace) {
    self.goal = goal
    self.limit = limit
    self.place = place
  }
}

/// A recorder has not received what a test expected.
///
/// ```text
/// CatTests/QueryTests.swift:21: expected ["cat"], and received 1 value: ["ca"]
/// ```
public struct RecorderError: Error, KitError, CustomStringConvertible {
  let place: CallPlace
  let message: String

  /// Says which line expected what, and what was received.
  public var description: String { "\(place): \(message)" }

  fileprivate init<Value>(_ wait: Wait, values: [Value], hasEnded: Bool? = nil) {
    let reason =
      switch hasEnded {
      case nil: ""
      case true?: ", but the source ended,"
      case false?: " within \(wait.limit),"
      }
    let count = values.count == 1 ? "1 value" : "\(values.count) values"
    let list = values.isEmpty ? "" : ": \(values)"
    place = wait.place
    message = "expected \(wait.goal)\(reason.isEmpty ? "," : reason) and received \(count)\(list)"
  }
}
