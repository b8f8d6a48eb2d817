import ActorBindings
import ActorBindingsTesting
import Testing

@Suite
struct ManualClockTests {
  private let clock = ManualClock()

  @Test
  func `the deadlines of the sleepers are known, the earliest first`() async throws {
    #expect(clock.deadlines.isEmpty)
    let tasks = [3, 1, 2].map { seconds in Task { [clock] in try await clock.sleep(for: .seconds(seconds)) } }
    #expect(await clock.sleepers.first { $0 == 3 } != nil)
    #expect(clock.deadlines.map(\.offset) == [.seconds(1), .seconds(2), .seconds(3)])
    clock.advance(by: .seconds(2))
    #expect(clock.deadlines.map(\.offset) == [.seconds(3)])
    tasks[0].cancel()
    await #expect(throws: CancellationError.self) { try await tasks[0].value }
    #expect(clock.deadlines.isEmpty)
    for task in tasks.dropFirst() { try await task.value }
  }

  @Test
  func `a test sees that a debounce is due neither earlier nor later`() async throws {
    let text = BindableActor("")
    let recorder = Recorder(text.debounce(for: .milliseconds(250), clock: clock))
    text.send("cat")
    #expect(await clock.sleepers.first { $0 == 1 } != nil)
    #expect(clock.deadlines.map(\.offset) == [.milliseconds(250)])
    clock.advance(by: .milliseconds(249))
    #expect(clock.deadlines.map(\.offset) == [.milliseconds(250)])
    #expect(recorder.values.isEmpty)
    clock.advance(by: .milliseconds(1))
    try await recorder.expect(["cat"])
  }
}
