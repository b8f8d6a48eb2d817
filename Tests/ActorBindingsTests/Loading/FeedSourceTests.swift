import ActorBindings
import Testing

/// Sources that open a feed for their first reader.
@Suite
struct FeedSourceTests {
  private let clock = ManualClock()
  private let server = FeedServer()
  private let ends = Recorder<String>()
  private let link = BindableActor(LinkState.idle)

  private func source(
    keepingOpen time: Duration = .zero,
    retry: RetryPolicy = .never
  ) -> some BindingSource<Int> {
    feed(keepingOpen: time, retry: retry, clock: clock, link: link, opening: server.connect) { [ends] in
      ends.record("\(LinkState.ended($0))")
    }
  }

  private func observe(_ source: some BindingSource<Int>) -> (token: BindingToken, seen: Recorder<Int>) {
    let seen = Recorder<Int>()
    let token = source.observe(on: .queue(Station().queue), backlog: .unbounded) { seen.record($0) }
    return (token, seen)
  }

  @Test
  func `the first reader opens the feed, all share it, and it is closed when the last has left`() async {
    let ticks = source()
    #expect(server.calls.count == 0)
    let (first, seenByFirst) = observe(ticks)
    await server.calls.reached(1)
    server.yield(1)
    await seenByFirst.reached(1)
    let (second, seenBySecond) = observe(ticks)
    await seenBySecond.reached(1)
    #expect(seenBySecond.elements == [1])
    server.yield(2)
    await seenBySecond.reached(2)
    await first.cancelAndWait()
    server.yield(3)
    await seenBySecond.reached(3)
    #expect(ends.count == 0)
    second.cancel()
    await ends.reached(1)
    #expect(ends.elements == ["cancelled"])
    #expect(server.calls.count == 1)
    await eventually { "\(link.value)" == "idle" }
  }

  @Test
  func `a reader that comes when the feed is closed opens it again, and sees no old element`() async {
    let ticks = source()
    let (first, seenByFirst) = observe(ticks)
    await server.calls.reached(1)
    server.yield(1)
    await seenByFirst.reached(1)
    first.cancel()
    await ends.reached(1)
    let (second, seenBySecond) = observe(ticks)
    await server.calls.reached(2)
    server.yield(2)
    await seenBySecond.reached(1)
    #expect(seenBySecond.elements == [2])
    second.cancel()
  }

  @Test
  func `the feed stays open for a reader that comes back, and closes when the time has passed`() async {
    let ticks = source(keepingOpen: .seconds(5))
    let (first, seenByFirst) = observe(ticks)
    await server.calls.reached(1)
    server.yield(1)
    await seenByFirst.reached(1)
    first.cancel()
    await clock.slept(1)
    clock.advance(by: .seconds(4))
    let (second, seenBySecond) = observe(ticks)
    await seenBySecond.reached(1)
    #expect(seenBySecond.elements == [1])
    // The time counts from the last leave. So the deadline of the first leave closes nothing.
    second.cancel()
    clock.advance(by: .seconds(1))
    await clock.slept(1)
    server.yield(2)
    clock.advance(by: .seconds(3))
    let (third, seenByThird) = observe(ticks)
    await eventually { seenByThird.last == 2 }
    #expect(server.calls.count == 1)
    third.cancel()
    await clock.slept(1)
    clock.advance(by: .seconds(5))
    await ends.reached(1)
    #expect(ends.elements == ["cancelled"])
    let (fourth, seenByFourth) = observe(ticks)
    await server.calls.reached(2)
    server.yield(3)
    await seenByFourth.reached(1)
    #expect(seenByFourth.elements == [3])
    fourth.cancel()
    // A task that sleeps on a clock keeps the clock, and so it would never be freed.
    await clock.slept(1)
    clock.advance(by: .seconds(5))
    await ends.reached(2)
  }

  @Test(arguments: [100, 400])
  func `however often readers come and leave, one task sleeps`(_ count: Int) async {
    let ticks = source(keepingOpen: .seconds(5))
    for _ in 0..<count { await observe(ticks).token.cancelAndWait() }
    await clock.slept(1)
    #expect(clock.sleepers == 1)
    #expect(server.calls.count <= 1)
    clock.advance(by: .seconds(5))
    await ends.reached(1)
    #expect(clock.sleepers == 0)
  }

  @Test
  func `the next feed is opened when the one before has ended`() async {
    let (opened, mayEnd) = (Recorder<Int>(), Gate())
    let ticks = feed(opening: { () -> AsyncStream<Int> in
      opened.record(opened.count)
      // Ignores the cancellation of its task.
      if opened.count == 1 { await mayEnd.passed() }
      return AsyncStream { $0.yield(opened.count) }
    })
    let (first, seenByFirst) = observe(ticks)
    await opened.reached(1)
    await first.cancelAndWait()
    let (second, seenBySecond) = observe(ticks)
    #expect(opened.count == 1)
    mayEnd.open()
    await seenBySecond.reached(1)
    #expect(seenBySecond.elements == [2])
    #expect(opened.count == 2)
    #expect(seenByFirst.count == 0)
    second.cancel()
  }

  @Test
  func `a feed that takes long to end delays the next one`() async {
    let (opened, events) = (Counter(), Recorder<String>())
    let ticks = feed(opening: { () -> AsyncStream<Int> in
      let number = opened.add()
      events.record("\(number) opens")
      // Ignores the cancellation of its task, and gives the next feed much time to open too early.
      if number == 1 { for _ in 1...1_000 where opened.value == 1 { await Task.yield() } }
      events.record("\(number) is open")
      return AsyncStream { $0.yield(number) }
    })
    let (first, _) = observe(ticks)
    await events.reached(1)
    await first.cancelAndWait()
    let (second, seen) = observe(ticks)
    await seen.reached(1)
    #expect(events.elements == ["1 opens", "1 is open", "2 opens", "2 is open"])
    second.cancel()
  }

  @Test
  func `after a failure the feed is opened again, and the source ends when the policy gives up`() async {
    let ticks = source(retry: RetryPolicy { attempt, _ in attempt < 2 ? .seconds(1) : nil })
    let hasEnded = Recorder<Bool>()
    let seen = Recorder<Int>()
    let token = ticks.observe(on: .queue(Station().queue), backlog: .unbounded) {
      seen.record($0)
    } onEnd: {
      hasEnded.record(true)
    }
    await server.calls.reached(1)
    server.yield(1)
    await seen.reached(1)
    server.drop()
    await clock.slept(1)
    clock.advance(by: .seconds(1))
    await server.calls.reached(2)
    server.yield(2)
    await seen.reached(2)
    server.drop()
    await clock.slept(1)
    clock.advance(by: .seconds(1))
    await server.calls.reached(3)
    // No element has come since the last failure, so this is the second failure in a row.
    server.drop()
    await hasEnded.reached(1)
    await ends.reached(1)
    #expect(ends.elements == ["ended: Dropped()"])
    #expect("\(link.value)" == "ended: Dropped()")
    // No reader opens it again.
    var late = ticks.values(backlog: .unbounded).makeAsyncIterator()
    while await late.next() != nil {}
    #expect(server.calls.count == 3)
    token.cancel()
  }

  @Test
  func `a feed can be combined with a cell`() async {
    let factor = BindableActor(10)
    let (token, seen) = observe(combineLatest(source(), factor).map { $0 * $1 })
    await server.calls.reached(1)
    server.yield(1)
    await seen.reached(1)
    factor.send(20)
    await seen.reached(2)
    #expect(seen.elements == [10, 20])
    token.cancel()
    await ends.reached(1)
  }
}
