import ActorBindings
import Testing

private struct Odd: Error {}

@Suite
struct FirstTests {
  private let cell = BindableActor(1)

  @Test
  func `first examines the current value first`() async {
    #expect(await cell.first { $0 == 1 } == 1)
    #expect(cell.observerCount == 0)
  }

  @Test
  func `first waits, and misses no value that is replaced at once`() async {
    async let found = cell.map { $0 * 10 }.first { $0 == 30 }
    await cell.parked(1)
    for number in 2...5 { cell.send(number) }
    #expect(await found == 30)
    #expect(cell.observerCount == 0)
  }

  @Test
  func `first returns nil when the source ends, and when the task is cancelled`() async {
    let task = Task { await cell.first { $0 > 100 } }
    await cell.parked(1)
    task.cancel()
    #expect(await task.value == nil)
    async let found = cell.first { $0 > 100 }
    await cell.parked(1)
    cell.finish()
    #expect(await found == nil)
  }

  @Test
  func `the predicate of first may throw, and need not be Sendable`() async {
    var asked: [Int] = []
    await #expect(throws: Odd.self) {
      try await cell.first { number throws(Odd) in
        asked.append(number)
        throw Odd()
      }
    }
    #expect(asked == [1])
  }
}
