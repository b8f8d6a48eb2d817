import ActorBindings
import ActorBindingsTesting
import Testing

@Suite
struct RecorderTests {
  private let cell = BindableActor(0)

  @Test
  func `a recorder has all values, with their versions`() async throws {
    let recorder = Recorder(cell)
    for value in 1...3 { cell.send(value) }
    #expect(recorder.values == [0, 1, 2, 3])
    #expect(recorder.updates.map(\.version) == [0, 1, 2, 3])
    #expect(recorder.updates.map(\.isInitial) == [true, false, false, false])
    #expect(!recorder.hasEnded)
    cell.finish()
    #expect(recorder.hasEnded)
    try await #expect(recorder.end() == [0, 1, 2, 3])
  }

  @Test
  func `a recorder on a manual context skips what comes while it is busy`() {
    let context = ManualContext()
    let recorder = Recorder(cell, on: context.delivery, backlog: .latest)
    context.pumpAll()
    for value in 1...3 { cell.send(value) }
    context.pumpAll()
    #expect(recorder.values == [0, 3])
    #expect(recorder.updates.last?.skipped == 2)
  }

  @Test
  func `a test waits for a number of values, for the next value and for the end`() async throws {
    let recorder = Recorder(cell)
    async let first = recorder.first(2)
    async let end = recorder.end()
    try await #expect(recorder.next() == 0)
    async let second = recorder.next()
    cell.send(7)
    try await #expect(second == 7)
    cell.send(8)
    cell.finish()
    try await #expect(first == [0, 7])
    try await #expect(end == [0, 7, 8])
    try await #expect(recorder.next() == 8)
  }

  @Test
  func `an error says which line expected what, and what was received`() async throws {
    let recorder = Recorder(cell)
    cell.send(1)
    let line: UInt = #line + 1
    let differ = await #expect(throws: RecorderError.self) {
      try await recorder.expect([0, 2])
    }
    #expect(
      differ?.description
        == "ActorBindingsTestingTests/RecorderTests.swift:\(line): expected [0, 2], and received 2 values: [0, 1]"
    )
    let late = await #expect(throws: RecorderError.self) {
      try await recorder.first(3, within: .zero, line: 5)
    }
    #expect(late?.description.contains(":5: expected 3 values within 0.0 seconds, and received 2") == true)
    cell.finish()
    let ended = await #expect(throws: RecorderError.self) { try await recorder.first(3) }
    #expect(ended?.description.contains(": expected 3 values, but the source ended, and") == true)
    try await recorder.expect([0, 1])
  }

  @Test
  func `a wait ends when its task is cancelled`() async {
    let recorder = Recorder(cell)
    let waiting = Task { try await recorder.first(2) }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
  }

  @Test
  func `a recorder that is cancelled or released observes no longer`() {
    let recorder = Recorder(cell)
    #expect(cell.observerCount == 1)
    recorder.cancel()
    #expect(cell.observerCount == 0)
    cell.send(1)
    #expect(recorder.values == [0])
    _ = Recorder(cell)
    #expect(cell.observerCount == 0)
  }
}
