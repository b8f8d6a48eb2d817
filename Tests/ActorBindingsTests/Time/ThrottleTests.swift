import ActorBindings
import Testing

@Suite
struct ThrottleTests {
  private let cell = BindableActor(1)
  private let clock = ManualClock()

  @Test
  func `the first value at once, then the newest of each interval`() async {
    var iterator = cell.throttle(for: .seconds(3), clock: clock).values(backlog: .unbounded)
      .makeAsyncIterator()
    #expect(await iterator.next() == 1)
    for value in 2...4 { cell.send(value) }
    await clock.slept(1)
    clock.advance(by: .seconds(3))
    #expect(await iterator.next() == 4)
    for value in 5...6 { cell.send(value) }
    await clock.slept(1)
    clock.advance(by: .seconds(3))
    #expect(await iterator.next() == 6)
    await clock.slept(0)
    clock.advance(by: .seconds(3))
    cell.send(7)
    #expect(await iterator.next() == 7)
    await clock.slept(0)
  }

  @Test
  func `or the oldest of each interval, and the last one all the same`() async {
    var iterator = cell.throttle(for: .seconds(3), latest: false, clock: clock).values(backlog: .unbounded)
      .makeAsyncIterator()
    #expect(await iterator.next() == 1)
    for value in 2...4 { cell.send(value) }
    await cell.settled()
    await clock.slept(1)
    clock.advance(by: .seconds(3))
    #expect(await iterator.next() == 2)
    await clock.slept(1)
    clock.advance(by: .seconds(3))
    #expect(await iterator.next() == 4)
    await clock.slept(0)
  }

  @Test(arguments: [true, false])
  func `what comes while another value still waits comes after it`(ends: Bool) async {
    var iterator = cell.throttle(for: .seconds(3), latest: false, clock: clock).values(backlog: .unbounded)
      .makeAsyncIterator()
    #expect(await iterator.next() == 1)
    for value in 2...3 { cell.send(value) }
    await cell.settled()
    await clock.slept(1)
    clock.advance(by: .seconds(3))
    #expect(await iterator.next() == 2)
    cell.send(4)
    await cell.settled()
    if ends {
      cell.finish()
      #expect(await iterator.next() == 4)
      #expect(await iterator.next() == nil)
    } else {
      for value in 3...4 {
        await clock.slept(1)
        clock.advance(by: .seconds(3))
        #expect(await iterator.next() == value)
      }
    }
    await clock.slept(0)
  }

  @Test(arguments: [true, false])
  func `the last value is not lost when the source ends`(latest: Bool) async {
    let stream = cell.throttle(for: .seconds(3), latest: latest, clock: clock).values(backlog: .unbounded)
    async let elements = stream.elements()
    await eventually { cell.observerCount == 1 }
    await cell.settled()
    for value in 2...4 { cell.send(value) }
    cell.finish()
    #expect(await elements == [1, 4])
    await clock.slept(0)
  }

  @Test
  func `with a clock of the system`() async {
    let stream = cell.throttle(for: .microseconds(1)).values(backlog: .unbounded)
    async let elements = stream.elements()
    await eventually { cell.observerCount == 1 }
    for value in 2...1_000 { cell.send(value) }
    cell.finish()
    let seen = await elements
    #expect(seen.last == 1_000)
    #expect(Swift.zip(seen, seen.dropFirst()).allSatisfy { $0 < $1 })
  }
}
