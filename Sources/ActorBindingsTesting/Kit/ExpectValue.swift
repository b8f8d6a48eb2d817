public import ActorBindings

/// Waits until a source has a value.
///
/// ```swift
/// feed.start()
/// try await expectValue("live", of: feed.status)
/// ```
///
/// Examines the current value first, and then each value that follows. If the source does not reach the value, the error
/// says which values it had instead. To check values that come in between too, use a ``Recorder``.
///
/// - Parameters:
///   - value: The value that the source should reach.
///   - source: The source.
///   - limit: The time for which the call waits.
///   - fileID: The file that the error names.
///   - filePath: The path of that file, for a test framework.
///   - line: The line that the error names.
/// - Throws: ``RecorderError`` if the source ends before, or if the limit of time is over. `CancellationError` if the task
///   is cancelled.
public nonisolated(nonsending) func expectValue<Value: Equatable & Sendable>(
  _ value: Value,
  of source: some BindingSource<Value>,
  within limit: Duration = .seconds(10),
  fileID: StaticString = #fileID,
  filePath: StaticString = #filePath,
  line: UInt = #line
) async throws {
  let wait = Wait("\(value)", limit, CallPlace(fileID, filePath, line))
  _ = try await Recorder(source).first(wait) { $0 == value }
}

/// Waits until a source has had as many values as are expected, and compares them.
///
/// ```swift
/// try await expectValues(["a", "b", "c"], of: feed(opening: { letters() }))
/// ```
///
/// The first value is the current one. The call skips no value after it, and ignores values beyond the expected number.
/// If the code under test may write the source before this call begins, create a ``Recorder`` before that code runs,
/// and use its `expect`.
///
/// - Parameters:
///   - values: The values that the source should have, in this order.
///   - source: The source.
///   - limit: The time for which the call waits.
///   - fileID: The file that the error names.
///   - filePath: The path of that file, for a test framework.
///   - line: The line that the error names.
/// - Throws: ``RecorderError`` if the values differ, if the source ends before, or if the limit of time is over.
///   `CancellationError` if the task is cancelled.
public nonisolated(nonsending) func expectValues<Value: Equatable & Sendable>(
  _ values: [Value],
  of source: some BindingSource<Value>,
  within limit: Duration = .seconds(10),
  fileID: StaticString = #fileID,
  filePath: StaticString = #filePath,
  line: UInt = #line
) async throws {
  try await Recorder(source).expect(values, within: limit, fileID: fileID, filePath: filePath, line: line)
}

/// Waits until a source has a value that fits, and returns this value.
///
/// ```swift
/// let board = try await expectValue(of: feed.board) { $0.last == 3 }
/// ```
///
/// - Parameters:
///   - source: The source.
///   - limit: The time for which the call waits.
///   - fileID: The file that the error names.
///   - filePath: The path of that file, for a test framework.
///   - line: The line that the error names.
///   - isExpected: Whether a value fits.
/// - Throws: ``RecorderError`` if the source ends before, or if the limit of time is over. `CancellationError` if the task
///   is cancelled. What `isExpected` throws.
@discardableResult
public nonisolated(nonsending) func expectValue<Value: Sendable>(
  of source: some BindingSource<Value>,
  within limit: Duration = .seconds(10),
  fileID: StaticString = #fileID,
  filePath: StaticString = #filePath,
  line: UInt = #line,
  where isExpected: (Value) throws -> Bool
) async throws -> Value {
  let wait = Wait("a value that fits", limit, CallPlace(fileID, filePath, line))
  return try await Recorder(source).first(wait, where: isExpected)
}
