import ActorBindings
import ActorBindingsTesting
import Foundation
import XCTest

/// The test kit in XCTest.
final class KitTests: XCTestCase {
  override class func setUp() {
    TestFailure.handler = { failure in
      let (path, line) = (failure.filePath, failure.line)
      _ = try XCTUnwrap(nil as Int?, "\(failure)", file: path, line: line)
    }
  }

  func testAQueryIsMadeWhenNothingWasTypedForThreeSeconds() async throws {
    let (text, clock) = (BindableActor(""), ManualClock())
    let made = Recorder(text.debounce(for: .seconds(3), clock: clock))
    text.send("ca")
    try await clock.advance(by: .seconds(2))
    text.send("cat")
    try await clock.advance(by: .milliseconds(2_999))
    XCTAssertEqual(made.values, [])
    try await clock.advance(by: .milliseconds(1))
    XCTAssertEqual(made.values, ["cat"])
  }

  func testAHiddenCellIsUpToDateAfterQuiesce() async throws {
    let numbers = BindableActor([1, 2])
    let sum = numbers.mapLatest { $0.reduce(0, +) }.compactMap(\.content)
    let shown = Recorder(sum, on: .queue(.global()))
    numbers.send([1, 2, 3])
    try await quiesce(numbers)
    XCTAssertEqual(shown.values.last, 6)
  }

  func testACellIsReleased() async throws {
    try await expectReleased { objects in
      let cell = objects.track(BindableActor(0))
      try await expectValues([0], of: cell)
    }
  }

  // `.ci/run client` runs this test with the variable, and expects one failure, at the marked line.
  func testAFailureIsShownOnceAtItsLine() async throws {
    if ProcessInfo.processInfo.environment["ACTORBINDINGS_FAIL"] == nil { return }
    try await expectValue(1, of: BindableActor(0), within: .zero)  // fails
  }
}
