import ActorBindings
import Testing

/// Tests `sample(on:)`.
@Suite
struct SampleOnTests {
  private let cell = BindableActor(0)
  private let trigger = BindableActor("a")

  @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
  func `each change of the other source hands out the newest value, and its current value does not`(
    backlog: Backlog
  ) {
    let reader = ObservingReader(cell.sample(on: trigger), backlog)
    reader.read()
    cell.send(1)
    cell.send(2)
    reader.read()
    #expect(reader.readings == [])
    trigger.send("b")
    reader.read()
    cell.send(3)
    reader.read()
    trigger.send("b")
    reader.read()
    #expect(reader.readings.map(\.value) == [2, 3])
  }

  @Test
  func `a value is handed out again if no newer one has come`() {
    let reader = StreamingReader(cell.sample(on: trigger), .unbounded)
    trigger.send("b")
    trigger.send("c")
    reader.read()
    #expect(reader.readings.map(\.value) == [0, 0])
  }

  @Test
  func `a reader of all values receives what the source held at each change, however late it reads`() {
    let reader = StreamingReader(cell.sample(on: trigger), .unbounded)
    for number in 1...3 {
      cell.send(number)
      trigger.send("\(number)")
      cell.send(10 * number)
    }
    reader.read()
    #expect(reader.readings.map(\.value) == [1, 2, 3])
    #expect(reader.readings.allSatisfy { $0.skipped == 0 && !$0.isInitial })
  }

  @Test
  func `a reader of only the newest value receives what the source holds when it looks`() {
    let reader = StreamingReader(cell.sample(on: trigger), .latest)
    reader.read()
    cell.send(1)
    trigger.send("b")
    cell.send(2)
    reader.read()
    cell.send(3)
    reader.read()
    #expect(reader.readings.map(\.value) == [2])
  }

  @Test(arguments: [Backlog.latest, .unbounded])
  func `a change before the first look of a reader counts`(backlog: Backlog) {
    let reader = StreamingReader(cell.sample(on: trigger), backlog)
    trigger.send("b")
    reader.read()
    #expect(reader.readings.map(\.value) == [0])
  }

  @Test(arguments: [Backlog.latest, .unbounded])
  func `a transaction that writes both hands out its own value`(backlog: Backlog) {
    let reader = StreamingReader(cell.sample(on: trigger), backlog)
    reader.read()
    BindingTransaction.run { [cell, trigger] transaction in
      transaction[trigger] = "b"
      transaction[cell] = 1
    }
    reader.read()
    #expect(reader.readings.map(\.value) == [1])
  }

  @Test
  func `each event counts, also the first`() {
    let taps = EventSource<Void>()
    let reader = StreamingReader(cell.sample(on: taps), .unbounded)
    taps.send()
    cell.send(1)
    taps.send()
    reader.read()
    #expect(reader.readings.map(\.value) == [0, 1])
  }

  @Test
  func `a change that an operator rejects does not count`() {
    let reader = StreamingReader(cell.sample(on: trigger.filter { $0 == "now" }), .unbounded)
    trigger.send("later")
    cell.send(1)
    trigger.send("now")
    reader.read()
    #expect(reader.readings.map(\.value) == [1])
  }

  @Test
  func `a change hands out nothing if the source has no value yet`() {
    let events = EventSource<Int>()
    let reader = StreamingReader(events.sample(on: trigger), .unbounded)
    trigger.send("b")
    events.send(1)
    events.send(2)
    trigger.send("c")
    reader.read()
    #expect(reader.readings.map(\.value) == [2])
  }

  @Test
  func `a source sampled on itself hands out its changes`() {
    let reader = StreamingReader(cell.sample(on: cell), .unbounded)
    for number in 1...3 { cell.send(number) }
    reader.read()
    #expect(reader.readings == (1...3).map { Reading($0, version: UInt64($0)) })
  }

  @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
  func `it ends when the other source ends, and goes on when its own source has ended`(backlog: Backlog)
    async
  {
    var values = cell.sample(on: trigger).values(backlog: backlog).makeAsyncIterator()
    cell.send(1)
    cell.finish()
    trigger.send("b")
    #expect(await values.next() == 1)
    trigger.send("c")
    trigger.finish()
    #expect(await values.next() == 1)
    #expect(await values.next() == nil)
    #expect(cell.observerCount == 0)
    #expect(trigger.observerCount == 0)
  }

  @Test(arguments: [true, false])
  func `a combination of it ends although the sampled source goes on`(isLeft: Bool) {
    let (sampled, other, context) = (cell.sample(on: trigger), BindableActor(0), ManualContext())
    let token =
      isLeft
      ? combineLatest(sampled, other).observe(on: context.delivery) { _ in }
      : combineLatest(other, sampled).observe(on: context.delivery) { _ in }
    context.run()
    trigger.finish()
    context.run()
    #expect(!token.hasEnded)
    other.finish()
    context.run()
    #expect(token.hasEnded)
    #expect(cell.observerCount == 0)
  }

  @Test
  func `what is written after the last change is not handed out`() async {
    let values = cell.sample(on: trigger).values(backlog: .unbounded)
    trigger.send("b")
    cell.send(1)
    trigger.finish()
    #expect(await values.elements() == [0])
    #expect(!cell.isFinished)
  }

  @Test
  func `on an interval it hands out a value at each tick`() async {
    let clock = ManualClock()
    let ticks = interval(.seconds(2), clock: clock)
    var values = cell.sample(on: ticks).values(backlog: .unbounded).makeAsyncIterator()
    for number in 1...3 {
      await clock.slept(1)
      cell.send(number)
      clock.advance(by: .seconds(2))
      #expect(await values.next() == number)
    }
  }

  @Test
  func `a relay that rests ends with the other source, although the sampled source goes on`() async {
    let clock = ManualClock()
    var values = cell.sample(on: trigger).throttle(for: .seconds(5), clock: clock)
      .values(backlog: .unbounded).makeAsyncIterator()
    trigger.send("b")
    #expect(await values.next() == 0)
    cell.send(1)
    trigger.send("c")
    await clock.slept(1)
    trigger.finish()
    #expect(await values.next() == 1)
    #expect(await values.next() == nil)
    await clock.slept(0)
    #expect(cell.observerCount == 0)
  }
}
