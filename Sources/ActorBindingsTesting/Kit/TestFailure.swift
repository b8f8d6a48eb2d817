import ActorBindings

/// A call of the kit that has failed: ``Recorder/expect(_:within:fileID:filePath:line:)``, for example.
///
/// Such a call throws an error, whose message names the line of the call. If the error leaves the test, the framework
/// reports it at the line of the test function. To see the failure at the line of the call, set ``handler``. With Swift
/// Testing:
///
/// ```swift
/// TestFailure.handler = { failure in
///   let place = SourceLocation(
///     fileID: "\(failure.fileID)",
///     filePath: "\(failure.filePath)",
///     line: Int(failure.line),
///     column: 1
///   )
///   try #require(Bool(false), "\(failure)", sourceLocation: place)
/// }
/// ```
///
/// With XCTest:
///
/// ```swift
/// TestFailure.handler = { failure in
///   let (path, line) = (failure.filePath, failure.line)
///   _ = try XCTUnwrap(nil as Int?, "\(failure)", file: path, line: line)
/// }
/// ```
///
/// Both functions report the failure, and throw an error that the framework knows and does not report again.
public struct TestFailure: Sendable, CustomStringConvertible {
  /// The error that the call throws, unless the handler throws another one.
  public let error: any Error
  /// The file of the call, as `#fileID` has it.
  public let fileID: StaticString
  /// The file of the call, as `#filePath` has it.
  public let filePath: StaticString
  /// The line of the call.
  public let line: UInt
  /// Says what the call expected, and what it found.
  public let description: String

  /// A function that receives the failures of all tests in the process, on the task of the call.
  ///
  /// If it throws, the call throws the same error, in place of its own.
  public typealias Handler = @Sendable (TestFailure) throws -> Void

  /// The function that receives failures; nil at first.
  ///
  /// Set it before the first test: in the initializer of a suite, or in `class func setUp()`. Any thread may set it, also
  /// again. A failure goes to the handler that was set last. Tests that expect the errors of the kit, for example with
  /// `#expect(throws: RecorderError.self)`, need a handler that throws nothing, or no handler.
  public static var handler: Handler? {
    get { stored.value }
    set { stored.value = newValue }
  }

  private static let stored = StoredHandler()
}

// @unchecked: `lock` guards the handler.
private final class StoredHandler: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`.
  private var handler: TestFailure.Handler?

  var value: TestFailure.Handler? {
    get { lock.withLock { handler } }
    set {
      // The former handler is released after the lock.
      let former = lock.withLock { () -> TestFailure.Handler? in
        defer { handler = newValue }
        return handler
      }
      withExtendedLifetime(former) {}
    }
  }
}

/// The place of a call.
struct CallPlace: Sendable, CustomStringConvertible {
  let fileID: StaticString
  let filePath: StaticString
  let line: UInt

  init(_ fileID: StaticString, _ filePath: StaticString, _ line: UInt) {
    self.fileID = fileID
    self.filePath = filePath
    self.line = line
  }

  var description: String { "\(fileID):\(line)" }
}

/// An error of a call of the kit.
protocol KitError: Error {
  /// The place of the call.
  var place: CallPlace { get }
  /// What the call expected, and what it found.
  var message: String { get }
}

extension KitError {
  /// Hands the error to the handler, and throws it, or what the handler throws.
  func report() throws -> Never {
    let failure = TestFailure(
      error: self,
      fileID: place.fileID,
      filePath: place.filePath,
      line: place.line,
      description: message
    )
    try TestFailure.handler?(failure)
    throw self
  }
}
