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

  @Test
  func `first without a predicate returns the current value, or waits for one`() async {
    #expect(await cell.first() == 1)
    async let found = cell.filter { $0 > 1 }.first()
    await cell.parked(1)
    cell.send(2)
    #expect(await found == 2)
    cell.finish()
    #expect(await cell.filter { $0 > 2 }.first() == nil)
  }

  @Test
  func `first gives up when the time has passed, and leaves`() async {
    let clock = ManualClock()
    async let found = cell.first(where: { $0 > 100 }, timeout: .seconds(5), clock: clock)
    await cell.parked(1)
    await clock.slept(1)
    clock.advance(by: .seconds(4))
    cell.send(2)
    clock.advance(by: .seconds(1))
    #expect(await found == nil)
    #expect(cell.observerCount == 0)
  }

  @Test
  func `first with a timeout returns the value that comes in time, and ends its timer`() async {
    let clock = ManualClock()
    async let found = cell.first(where: { $0 == 3 }, timeout: .seconds(5), clock: clock)
    await cell.parked(1)
    await clock.slept(1)
    for number in 2...4 { cell.send(number) }
    #expect(await found == 3)
    await clock.slept(0)
  }

  @Test
  func `first with no time left examines the current value`() async {
    #expect(await cell.first(where: { $0 == 1 }, timeout: .seconds(-1)) == 1)
    #expect(await cell.first(where: { $0 == 2 }, timeout: .seconds(-1)) == nil)
  }

  @Test
  func `first with a timeout ends with its task and with its source`() async {
    let clock = ManualClock()
    let task = Task { await cell.first(where: { $0 > 100 }, timeout: .seconds(5), clock: clock) }
    await cell.parked(1)
    task.cancel()
    #expect(await task.value == nil)
    async let found = cell.first(where: { $0 > 100 }, timeout: .seconds(5), clock: clock)
    await cell.parked(1)
    cell.finish()
    #expect(await found == nil)
    await clock.slept(0)
  }

  @Test
  func `first gives up in time even if writers never pause`() async {
    let clock = ManualClock()
    // Each call writes the value of the next call, so the reader never waits. The clock advances when the timer sleeps.
    let found = await cell.first(
      where: { _ in
        if clock.sleepers == 1 { clock.advance(by: .seconds(5)) }
        cell.send(1)
        return false
      },
      timeout: .seconds(5),
      clock: clock
    )
    #expect(found == nil)
  }
}
