import ActorBindings
import Dispatch
import Testing

@Suite
struct SampleTests {
  private let cell = BindableActor(1)
  private let clock = ManualClock()

  @Test
  func `readers receive the newest value at each tick, and nothing without a new value`() async {
    var iterator = cell.sample(every: .seconds(3), clock: clock).values(backlog: .unbounded)
      .makeAsyncIterator()
    await clock.slept(1)
    cell.send(2)
    clock.advance(by: .seconds(2))
    cell.send(3)
    clock.advance(by: .seconds(1))
    #expect(await iterator.next() == 3)
    await clock.slept(0)
    clock.advance(by: .seconds(10))
    cell.send(4)
    await clock.slept(1)
    clock.advance(by: .milliseconds(1_999))
    #expect(clock.sleepers == 1)
    clock.advance(by: .milliseconds(1))
    #expect(await iterator.next() == 4)
  }

  @Test
  func `while a value waits, writes do not read the clock`() async {
    let token = cell.sample(every: .seconds(3), clock: clock).observe(on: .queue(.global())) { _ in }
    await clock.slept(1)
    let looks = clock.looks
    for number in 0..<100 { cell.send(number) }
    #expect(clock.looks == looks)
    token.cancel()
    await clock.slept(0)
  }

  @Test
  func `the last value is delivered when the source ends`() async {
    let stream = cell.sample(every: .seconds(3), clock: clock).values
    async let elements = stream.elements()
    await clock.slept(1)
    cell.send(2)
    cell.finish()
    #expect(await elements == [2])
    await clock.slept(0)
  }
}
