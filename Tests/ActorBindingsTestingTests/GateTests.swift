import ActorBindings
import ActorBindingsTesting
import Testing

@Suite
struct GateTests {
  private let gate = Gate()

  @Test
  func `tasks wait until the gate is opened`() async throws {
    let tasks = (0..<3).map { _ in Task { try await gate.wait() } }
    #expect(await gate.waiting.first { $0 == 3 } != nil)
    gate.open()
    for task in tasks { try await task.value }
    #expect(gate.waiting.value == 0)
    try await gate.wait()
  }

  @Test
  func `a closed gate stops the tasks that come later`() async throws {
    gate.open()
    gate.close()
    let task = Task { try await gate.wait() }
    #expect(await gate.waiting.first { $0 == 1 } != nil)
    gate.open()
    try await task.value
  }

  @Test
  func `a gate that is closed at once has let the waiting tasks pass`() async throws {
    let tasks = (0..<3).map { _ in Task { try await gate.wait() } }
    #expect(await gate.waiting.first { $0 == 3 } != nil)
    gate.open()
    gate.close()
    for task in tasks { try await task.value }
  }

  @Test
  func `a task that is cancelled at the gate no longer waits`() async {
    let task = Task { try await gate.wait() }
    #expect(await gate.waiting.first { $0 == 1 } != nil)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(gate.waiting.value == 0)
  }
}
