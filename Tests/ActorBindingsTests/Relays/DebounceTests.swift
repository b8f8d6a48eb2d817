import ActorBindings
import Testing

@Suite
struct DebounceTests {
  private let cell = BindableActor(1)
  private let clock = ManualClock()

  @Test
  func `a value is delivered when no other value has come for the duration`() async {
    var iterator = cell.debounce(for: .seconds(3), clock: clock).values.makeAsyncIterator()
    await clock.slept(1)
    clock.advance(by: .seconds(2))
    cell.send(2)
    await cell.settled()
    clock.advance(by: .seconds(2))
    cell.send(3)
    await cell.settled()
    await clock.slept(1)
    clock.advance(by: .seconds(3))
    #expect(await iterator.next() == 3)
    await clock.slept(0)
    cell.send(4)
    await clock.slept(1)
    clock.advance(by: .seconds(3))
    #expect(await iterator.next() == 4)
  }

  @Test
  func `the last value is not lost when the source ends`() async {
    let stream = cell.debounce(for: .seconds(3), clock: clock).values
    async let elements = stream.elements()
    await clock.slept(1)
    cell.send(2)
    cell.finish()
    #expect(await elements == [2])
    await clock.slept(0)
  }

  @Test
  func `a timer runs only while a value waits and there are readers`() async {
    let quiet = cell.debounce(for: .seconds(3), clock: clock)
    cell.send(2)
    #expect(clock.sleepers == 0)
    #expect(cell.observerCount == 0)
    do {
      var iterator = quiet.values.makeAsyncIterator()
      await clock.slept(1)
      clock.advance(by: .seconds(3))
      #expect(await iterator.next() == 2)
      await clock.slept(0)
      cell.send(3)
      await clock.slept(1)
    }
    await clock.slept(0)
    #expect(cell.observerCount == 0)
    // The value that waited is dropped: the next reader begins with the current value.
    cell.send(4)
    let later = quiet.values(backlog: .unbounded)
    await clock.slept(1)
    clock.advance(by: .seconds(3))
    cell.finish()
    #expect(await later.elements() == [4])
  }

  @Test
  func `readers share one timer, and a later reader begins with the value delivered last`() async {
    let quiet = cell.debounce(for: .seconds(3), clock: clock)
    var iterators = (0..<10).map { _ in quiet.values.makeAsyncIterator() }
    #expect(cell.observerCount == 1)
    await clock.slept(1)
    clock.advance(by: .seconds(3))
    for index in iterators.indices { #expect(await iterators[index].next() == 1) }
    let context = ManualContext()
    let seen = Recorder<Int>()
    let token = quiet.observe(on: context.delivery) { seen.record($0) }
    context.run()
    #expect(seen.elements == [1])
    withExtendedLifetime(token) {}
  }

  @Test
  func `a debounced source can be combined`() async {
    let other = BindableActor("a")
    let both = combineLatest(other, cell.debounce(for: .seconds(3), clock: clock)).map { "\($0)\($1)" }
    var iterator = both.values(backlog: .unbounded).makeAsyncIterator()
    other.send("b")
    await clock.slept(1)
    clock.advance(by: .seconds(3))
    #expect(await iterator.next() == "b1")
    other.send("c")
    #expect(await iterator.next() == "c1")
  }
}
