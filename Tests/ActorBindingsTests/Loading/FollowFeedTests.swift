import ActorBindings
import Testing

@Suite
struct FollowFeedTests {
  private let clock = ManualClock()
  private let cell = BindableActor(0)
  private let link = BindableActor(LinkState.idle)
  private let states = Recorder<String>()
  private let ends = Recorder<String>()
  private let retry = RetryPolicy.backoff(attempts: 4, first: .seconds(1))

  private var onEnd: @Sendable (FollowOutcome) -> Void {
    { [ends] in ends.record("\(LinkState.ended($0))") }
  }

  private func recordingLink() -> BindingToken {
    let (states, context) = (states, DeliveryContext(id: UInt64.random(in: 0 ... .max)) { $0() })
    return link.observe(on: context, backlog: .unbounded) { states.record("\($0)") }
  }

  @Test
  func `a feed that drops is opened again after the delay, and the link shows it`() async {
    let (server, log) = (FeedServer(), recordingLink())
    let token = cell.follow(retry: retry, clock: clock, link: link, opening: server.connect, onEnd: onEnd)
    var values = cell.values(backlog: .unbounded).makeAsyncIterator()
    #expect(await values.next() == 0)
    await server.calls.reached(1)
    server.yield(1)
    #expect(await values.next() == 1)
    server.drop()
    await clock.slept(1)
    #expect(cell.value == 1)
    #expect(server.calls.count == 1)
    clock.advance(by: .seconds(1))
    await server.calls.reached(2)
    server.yield(2)
    #expect(await values.next() == 2)
    token.cancel()
    await ends.reached(1)
    #expect(ends.elements == ["cancelled"])
    #expect(
      states.elements == [
        "idle", "connecting (attempt 1)", "live", "waiting (attempt 2 in 1.0 seconds)",
        "connecting (attempt 2)",
        "live", "cancelled",
      ]
    )
    withExtendedLifetime(log) {}
  }

  @Test
  func `refusals in a row wait longer, until the policy gives up`() async {
    let (server, log) = (FeedServer(refusals: 9), recordingLink())
    cell.follow(retry: retry, clock: clock, link: link, opening: server.connect, onEnd: onEnd)
    for delay in [1, 2, 4] {
      await clock.slept(1)
      clock.advance(by: .seconds(delay) - .milliseconds(1))
      #expect(clock.sleepers == 1)
      clock.advance(by: .milliseconds(1))
    }
    await ends.reached(1)
    #expect(server.calls.count == 4)
    #expect(ends.elements == ["ended: Refused()"])
    #expect(states.last == "ended: Refused()")
    #expect(!cell.isFinished)
    withExtendedLifetime(log) {}
  }

  @Test
  func `a line that opens and drops at once counts as failures in a row, and an element ends the row`() async
  {
    let server = FeedServer()
    cell.follow(retry: retry, clock: clock, opening: server.connect, onEnd: onEnd)
    for (round, delay) in [1, 2].enumerated() {
      await server.calls.reached(round + 1)
      server.drop()
      await clock.slept(1)
      clock.advance(by: .seconds(delay) - .milliseconds(1))
      #expect(clock.sleepers == 1)
      clock.advance(by: .milliseconds(1))
    }
    await server.calls.reached(3)
    var values = cell.dropFirst().values(backlog: .unbounded).makeAsyncIterator()
    server.yield(7)
    #expect(await values.next() == 7)
    server.drop()
    await clock.slept(1)
    clock.advance(by: .seconds(1))
    await server.calls.reached(4)
    cell.finish()
    await ends.reached(1)
    #expect(ends.elements == ["cancelled"])
  }

  @Test(arguments: [false, true])
  func `a feed that ends without an error is opened again only on demand`(reopensAtEnd: Bool) async {
    let server = FeedServer()
    let token = cell.follow(
      retry: retry,
      clock: clock,
      reopensAtEnd: reopensAtEnd,
      opening: server.connect,
      onEnd: onEnd
    )
    await server.calls.reached(1)
    server.end()
    if reopensAtEnd {
      await clock.slept(1)
      clock.advance(by: .seconds(1))
      await server.calls.reached(2)
      #expect(ends.count == 0)
      await token.cancelAndWait()
      await ends.reached(1)
      #expect(ends.elements == ["cancelled"])
    } else {
      await ends.reached(1)
      #expect(ends.elements == ["ended"])
      #expect(!token.isActive && !token.isCancelled)
    }
  }

  @Test
  func `cancelling ends the wait for the next attempt`() async {
    let server = FeedServer(refusals: 1)
    let token = cell.follow(retry: retry, clock: clock, link: link, opening: server.connect, onEnd: onEnd)
    await clock.slept(1)
    token.cancel()
    await ends.reached(1)
    #expect(ends.elements == ["cancelled"])
    #expect(clock.sleepers == 0)
    #expect(server.calls.count == 1)
    #expect("\(link.value)" == "cancelled")
  }

  @Test
  func `a feed that opens after the cancellation is not read`() async {
    let (asked, opened) = (Gate(), Gate())
    let token = cell.follow(retry: retry, clock: clock) {
      asked.open()
      await opened.passed()
      return AsyncStream<Int> { continuation in
        continuation.yield(9)
        continuation.finish()
      }
    } onEnd: { [ends] in
      ends.record("\(LinkState.ended($0))")
    }
    await asked.passed()
    await token.cancelAndWait()
    opened.open()
    await ends.reached(1)
    #expect(ends.elements == ["cancelled"])
    #expect(cell.value == 0)
  }

  @Test
  func `the task keeps neither the cell nor the link alive`() async {
    let server = FeedServer()
    weak let weakLink: BindableActor<LinkState>?
    do {
      let (mortal, link) = (BindableActor(0), BindableActor(LinkState.idle))
      weakLink = link
      mortal.follow(retry: retry, clock: clock, link: link, opening: server.connect, onEnd: onEnd)
      await server.calls.reached(1)
    }
    await ends.reached(1)
    #expect(ends.elements == ["cancelled"])
    #expect(weakLink == nil)
  }

  @Test
  func `a cell of an optional, a closure and an event source follow feeds too`() async {
    let server = FeedServer()
    let (optional, total, events) = (BindableActor<Int?>(nil), BindableActor(0), EventSource<Int>())
    var all = events.values(backlog: .unbounded).makeAsyncIterator()
    let seen = Recorder<Int>()
    let values: @Sendable () -> AsyncStream<Int> = {
      AsyncStream { continuation in
        for number in 1...3 { continuation.yield(number) }
      }
    }
    optional.follow(retry: .never, opening: { values() })
    total.follow(retry: .never, opening: { values() }) { $0 += $1 }
    events.follow(retry: .never, opening: { values() })
    _ = await optional.first { $0 == 3 }
    _ = await total.first { $0 == 6 }
    for number in 1...3 { #expect(await all.next() == number) }
    events.follow(values())
    for number in 1...3 { #expect(await all.next() == number) }
    events.finish()
    withExtendedLifetime((server, seen)) {}
  }

  @Test
  func `a feed that fails at once without a delay lets other tasks run, and ends with its cell`() async {
    let calls = Recorder<Int>()
    cell.follow(retry: RetryPolicy { _, _ in .zero }, clock: clock) { () throws -> AsyncStream<Int> in
      calls.record(1)
      throw FeedServer.Dropped()
    } onEnd: { [ends] in
      ends.record("\(LinkState.ended($0))")
    }
    await calls.reached(1_000)
    cell.finish()
    await ends.reached(1)
    #expect(ends.elements == ["cancelled"])
  }
}
