import ActorBindings
import ActorBindingsTesting
import Testing

@Suite
struct ExpectValueTests {
  private let cell = BindableActor(0)

  @Test
  func `a test waits until a source has a value`() async throws {
    try await expectValue(0, of: cell)
    async let wait: Void = expectValue(3, of: cell)
    for value in 1...4 { cell.send(value) }
    try await expectValue(4, of: cell)
    cell.send(3)
    try await wait
    #expect(try await expectValue(of: cell.map { $0 * 2 }) { $0 > 4 } == 6)
    #expect(cell.observerCount == 0)
  }

  @Test
  func `a test waits for several values in order, the current one first`() async throws {
    cell.send(1)
    async let wait: Void = expectValues([1, 2, 2, 3], of: cell)
    while cell.observerCount == 0 { await Task.yield() }
    for value in [2, 2, 3, 4] { cell.send(value) }
    try await wait
    let other = await #expect(throws: RecorderError.self) {
      try await expectValues([5], of: cell, fileID: "CatTests.swift", line: 5)
    }
    #expect(other?.description == "CatTests.swift:5: expected [5], and received 1 value: [4]")
    cell.finish()
    let ended = await #expect(throws: RecorderError.self) { try await expectValues([4, 5], of: cell) }
    #expect(
      ended?.description.hasSuffix("expected [4, 5], but the source ended, and received 1 value: [4]") == true
    )
    #expect(cell.observerCount == 0)
  }

  @Test
  func `an error says what the source had instead`() async throws {
    cell.send(1)
    let late = await #expect(throws: RecorderError.self) {
      try await expectValue(3, of: cell, within: .zero, fileID: "CatTests.swift", line: 5)
    }
    #expect(late?.description == "CatTests.swift:5: expected 3 within 0.0 seconds, and received 1 value: [1]")
    cell.finish()
    let ended = await #expect(throws: RecorderError.self) { try await expectValue(of: cell) { $0 > 1 } }
    #expect(
      ended?.description.hasSuffix(
        "expected a value that fits, but the source ended, and received 1 value: [1]"
      )
        == true
    )
  }

  @Test(.timeLimit(.minutes(1)))
  func `a wait ends although each value is followed by another`() async {
    await #expect(throws: RecorderError.self) {
      try await expectValue(of: cell, within: .milliseconds(10)) { value in
        cell.send(value + 1)
        return false
      }
    }
  }

  @Test
  func `a wait for a value ends when its task is cancelled`() async {
    let waiting = Task { try await expectValue(1, of: cell) }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
  }
}
