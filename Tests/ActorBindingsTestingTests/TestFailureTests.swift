import ActorBindings
import ActorBindingsTesting
import Testing

/// Each test runs in a process of its own, because the handler holds for the whole process.
@Suite
struct TestFailureTests {
  @Test
  func `each function that fails hands its line to the handler, and throws what that throws`() async {
    await #expect(processExitsWith: .success) {
      TestFailure.handler = { throw Reported(failure: $0) }
      await failEachFunction()
    }
  }

  @Test
  func `without a handler, or with one that returns, a function throws its own error`() async {
    await #expect(processExitsWith: .success) {
      let (cell, count) = (BindableActor(0), BindableActor(0))
      #expect(TestFailure.handler == nil)
      for handler in [nil, { _ in count.modify { $0 += 1 } }] as [TestFailure.Handler?] {
        TestFailure.handler = handler
        let error = await #expect(throws: RecorderError.self) {
          try await expectValue(1, of: cell, within: .zero, fileID: "A/B.swift", line: 5)
        }
        #expect(
          error?.description == "A/B.swift:5: expected 1 within 0.0 seconds, and received 1 value: [0]"
        )
      }
      #expect(count.value == 1)
    }
  }

  @Test
  func `a task that is cancelled is no failure`() async {
    await #expect(processExitsWith: .success) {
      TestFailure.handler = { throw Reported(failure: $0) }
      let cell = BindableActor(0)
      let waiting = Task { try await expectValue(1, of: cell) }
      waiting.cancel()
      await #expect(throws: CancellationError.self) { try await waiting.value }
    }
  }

  @Test
  func `Swift Testing shows a failure once, at the line of the call`() async {
    await #expect(processExitsWith: .success) {
      TestingYourCodeExamples.reportFailuresToSwiftTesting()
      try await failOnce()
    }
  }
}

private struct Reported: Error {
  let failure: TestFailure
}

/// Returns the line that the handler receives when `call` fails.
private func lineOfFailure(_ call: () async throws -> Void) async -> UInt? {
  let reported = await #expect(throws: Reported.self) { try await call() }
  #expect(reported.map { "\($0.failure.fileID)" } == #fileID)
  #expect(reported.map { "\($0.failure.filePath)" } == #filePath)
  return reported?.failure.line
}

// The lines of code in the argument of a macro may differ from those in the file. So these functions stand here.

private func failEachFunction() async {
  let (cell, context, clock) = (BindableActor(0), ManualContext(), ManualClock())
  let recorder = Recorder(cell)
  let stuck = cell.debounce(for: .seconds(1), clock: clock).observe(on: context.delivery) { _ in }
  let token = cell.observe(on: context.delivery) { _ in }
  let (feed, empty) = (ScriptedFeed<Int>(), Recorder(cell.dropFirst()))
  let start = UInt(#line)
  let lines = [
    await lineOfFailure { try await recorder.first(2, within: .zero) },
    await lineOfFailure { try await recorder.expect([1], within: .zero) },
    await lineOfFailure { try await recorder.expect([0, 1], within: .zero) },
    await lineOfFailure { try await recorder.end(within: .zero) },
    await lineOfFailure { try await expectValue(1, of: cell, within: .zero) },
    await lineOfFailure { try await expectValue(of: cell, within: .zero) { $0 == 1 } },
    await lineOfFailure { try await expectValues([1], of: cell, within: .zero) },
    await lineOfFailure { try await quiesce(cell, within: .milliseconds(1)) },
    await lineOfFailure { try await clock.advance(by: .seconds(1), within: .milliseconds(1)) },
    await lineOfFailure { try await expectReleased(within: .zero) { _ = $0.track(cell) } },
    await lineOfFailure { _ = try await empty.next(within: .zero) },
    await lineOfFailure { try await feed.send(1, within: .zero) },
    await lineOfFailure { try await feed.end(within: .zero) },
  ]
  #expect(lines == (2...14).map { start + $0 })
  withExtendedLifetime((token, stuck)) {}
}

private func failOnce() async throws {
  let (cell, lines) = (BindableActor(0), BindableActor<[Int?]>([]))
  let line = #line + 2
  try await withKnownIssue {
    try await expectValue(1, of: cell, within: .zero)
  } matching: { issue in
    lines.modify { $0.append(issue.sourceLocation?.line) }
    return true
  }
  #expect(lines.value == [line])
}
