import ActorBindings
import Testing

@Suite
struct IntervalTests {
  private let clock = ManualClock()

  @Test
  func `readers receive the number of intervals that have passed`() async {
    var iterator = interval(.seconds(2), clock: clock).values(backlog: .unbounded).makeAsyncIterator()
    for number in 1...3 {
      await clock.slept(1)
      clock.advance(by: .seconds(2))
      #expect(await iterator.next() == number)
    }
  }

  @Test
  func `a late timer leaves numbers out, and the instants do not drift`() async {
    var iterator = interval(.seconds(2), clock: clock).values(backlog: .unbounded).makeAsyncIterator()
    await clock.slept(1)
    clock.advance(by: .seconds(9))
    #expect(await iterator.next() == 4)
    await clock.slept(1)
    clock.advance(by: .milliseconds(999))
    #expect(clock.sleepers == 1)
    clock.advance(by: .milliseconds(1))
    #expect(await iterator.next() == 5)
  }

  @Test
  func `readers share one timer, which runs only while there are readers`() async {
    let ticks = interval(.seconds(2), clock: clock)
    #expect(clock.sleepers == 0)
    for _ in 0..<2 {
      var iterators = (0..<3).map { _ in ticks.values.makeAsyncIterator() }
      await clock.slept(1)
      clock.advance(by: .seconds(2))
      for index in iterators.indices { #expect(await iterators[index].next() == 1) }
      iterators = []
      await clock.slept(0)
    }
  }

  @Test
  func `a tick can be combined, and cancelled`() async {
    let cell = BindableActor("a")
    let seen = Recorder<String>()
    let token = combineLatest(cell, interval(.seconds(2), clock: clock))
      .observe(on: DeliveryContext(id: "tick") { $0() }) { seen.record("\($0)\($1)") }
    await clock.slept(1)
    clock.advance(by: .seconds(2))
    await seen.reached(1)
    #expect(seen.elements == ["a1"])
    token.cancel()
    await clock.slept(0)
    #expect(cell.observerCount == 0)
  }

  @Test
  func `an interval that is not positive ends the process`() async {
    await #expect(processExitsWith: .failure) { _ = interval(Duration.seconds(0)) }
    await #expect(processExitsWith: .failure) { _ = interval(Duration.seconds(-1)) }
  }
}
