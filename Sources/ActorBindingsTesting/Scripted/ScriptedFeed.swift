public import ActorBindings

/// A feed that a test plays: it accepts or refuses lines, sends elements, and ends the line.
///
/// ```swift
/// let (feed, clock) = (ScriptedFeed<Int>(), ManualClock())
/// let price = BindableActor(0)
/// price.follow(retry: .backoff(), clock: clock) {
///   try await feed.open()
/// }
/// try await feed.send(12)                    // returns when the price is 12
/// try await feed.end(throwing: Dropped())    // the line drops
/// try await clock.advance(by: .seconds(1))   // and is opened again
/// try await feed.send(13)
/// ```
///
/// The feed delivers an element only when the code under test asks for it. ``send(_:within:fileID:filePath:line:)``
/// returns when that code asks for the next element, and so has handled the one before. The test plays the newest line:
/// when a line opens, the line before it ends.
public final class ScriptedFeed<Element: Sendable>: Sendable {
  private let script = FeedScript<Element>()

  /// Creates a feed that accepts each line.
  public init() {}

  /// The number of calls of ``open()`` so far, accepted or not.
  public var attempts: some StateSource<Int> { script.attempts.readOnly }

  /// Whether a line is open. A line is open from the call of ``open()`` until it ends, or until the code under test stops
  /// iterating it.
  public var isOpen: some StateSource<Bool> { script.newestLine.map(\.isOpen) }

  /// Opens a line. The code under test calls this. To hold it up, wait at a ``Gate`` before this call.
  ///
  /// - Throws: The error with which the test lets the feed refuse. `CancellationError` if the task is cancelled.
  public func open() async throws -> Line {
    try Task.checkCancellation()
    return Line(handle: try script.open())
  }

  /// Lets later calls of ``open()`` throw an error. A line that is open stays open.
  public func refuse(with error: any Error) {
    script.refusal = error
  }

  /// Lets later calls of ``open()`` succeed again.
  public func accept() {
    script.refusal = nil
  }

  /// Sends an element. Returns when the code under test has received it and asks for the next one, or has stopped
  /// iterating.
  ///
  /// - Parameters:
  ///   - element: The element.
  ///   - limit: The time for which the call waits for the code under test.
  ///   - fileID: The file that the error names.
  ///   - filePath: The path of that file, for a test framework.
  ///   - line: The line that the error names.
  /// - Throws: ``ScriptedFeedError`` if the limit of time is over. `CancellationError` if the task is cancelled.
  public func send(
    _ element: Element,
    within limit: Duration = .seconds(10),
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line
  ) async throws {
    let place = CallPlace(fileID, filePath, line)
    try await script.play(.element(element), Wait("send(\(element))", limit, place))
  }

  /// Ends the line when the code under test asks for the next element. Returns when that code is about to receive the
  /// end. To wait for what a `follow` then does, call `advance` of a ``ManualClock``, or
  /// ``quiesce(_:within:fileID:filePath:line:)``.
  ///
  /// - Parameters:
  ///   - error: The error that the line throws; nil if it just ends.
  ///   - limit: The time for which the call waits for the code under test.
  ///   - fileID: The file that the error names.
  ///   - filePath: The path of that file, for a test framework.
  ///   - line: The line that the error names.
  /// - Throws: ``ScriptedFeedError`` if the limit of time is over. `CancellationError` if the task is cancelled.
  public func end(
    throwing error: (any Error)? = nil,
    within limit: Duration = .seconds(10),
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line
  ) async throws {
    try await script.play(.end(error), Wait("end", limit, CallPlace(fileID, filePath, line)))
  }
}

extension ScriptedFeed {
  /// What the code under test iterates: the elements that the test sends. It can be iterated once, by one task. It ends
  /// when the task is cancelled.
  public struct Line: AsyncSequence, Sendable {
    fileprivate let handle: FeedScript<Element>.Handle

    /// Creates the iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(iteration: .init(handle)) }
  }

  /// The iterator of a line.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let iteration: FeedScript<Element>.Iteration

    /// Waits until the test sends an element or ends the line. Returns nil at the end, or if the task is cancelled.
    ///
    /// - Throws: The error with which the test ends the line.
    public mutating func next() async throws -> Element? { try await iteration.next() }
  }
}

/// The code under test did not do in time what a ``ScriptedFeed`` waited for.
///
/// ```text
/// CatTests/FeedTests.swift:21: send(7): no line was open within 10.0 seconds, after 2 calls of open
/// ```
public struct ScriptedFeedError: Error, KitError, CustomStringConvertible {
  let place: CallPlace
  let message: String

  /// Says which line of the test waited, and what for.
  public var description: String { "\(place): \(message)" }

  init(_ wait: Wait, isOpen: Bool, wasReceived: Bool, attempts: Int) {
    let reason =
      switch (isOpen, wasReceived) {
      case (true, true): "the element was received, but the next one was not asked for"
      case (true, false): "the line is open, but no element was asked for"
      case (false, _): "no line was open"
      }
    let calls = attempts == 1 ? "1 call" : "\(attempts) calls"
    place = wait.place
    message = "\(wait.goal): \(reason) within \(wait.limit), after \(calls) of open"
  }
}

// One task iterates a line.
@available(*, unavailable)
extension ScriptedFeed.Iterator: Sendable {}
