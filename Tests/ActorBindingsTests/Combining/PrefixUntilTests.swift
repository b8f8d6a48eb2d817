import ActorBindings
import Testing

/// Tests `prefix(until:)`.
@Suite
struct PrefixUntilTests {
  private let cell = BindableActor(0)
  private let stop = BindableActor(false)

  @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
  func `a loop ends at the first change of the other source, with the value before it`(backlog: Backlog)
    async
  {
    var values = cell.prefix(until: stop).values(backlog: backlog).makeAsyncIterator()
    #expect(await values.next() == 0)
    cell.send(1)
    stop.send(true)
    #expect(await values.next() == 1)
    #expect(await values.next() == nil)
    #expect(cell.observerCount == 0)
    #expect(stop.observerCount == 0)
    #expect(!cell.isFinished && !stop.isFinished)
  }

  @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
  func `an observation ends, releases its captures and does not count as cancelled`(backlog: Backlog) {
    let (captures, context, ends) = (Census(), ManualContext(), Counter())
    let seen = Recorder<Int>()
    let token = cell.prefix(until: stop).observe(on: context.delivery, backlog: backlog) {
      [citizen = captures.citizen()] number in
      _ = citizen
      seen.record(number)
    } onEnd: {
      ends.add()
    }
    context.run()
    cell.send(1)
    stop.send(true)
    context.run()
    #expect(seen.elements == [0, 1])
    #expect(captures.alive == 0)
    #expect(ends.value == 1)
    #expect(!token.isCancelled)
    cell.send(2)
    context.run()
    #expect(seen.elements == [0, 1])
  }

  @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
  func `nothing that was written after the change is delivered`(backlog: Backlog) {
    let reader = StreamingReader(cell.prefix(until: stop), backlog)
    reader.read()
    stop.send(true)
    cell.send(1)
    reader.read()
    cell.send(2)
    reader.read()
    #expect(reader.readings.map(\.value) == [0])
  }

  @Test
  func `a reader of all values receives each value before the first change, however late it reads`() {
    let reader = StreamingReader(cell.prefix(until: stop), .unbounded)
    cell.send(1)
    cell.send(2)
    stop.send(true)
    cell.send(3)
    stop.send(false)
    cell.send(4)
    reader.read()
    #expect(reader.readings == (0...2).map { Reading($0, version: UInt64($0), isInitial: $0 == 0) })
  }

  @Test
  func `a late reader of only the newest value ends without a value that was replaced after the change`() {
    let reader = StreamingReader(cell.prefix(until: stop), .latest)
    cell.send(1)
    stop.send(true)
    cell.send(2)
    reader.read()
    #expect(reader.readings == [])
  }

  @Test(arguments: [Backlog.latest, .bounded(1)])
  func `an observer that finds a value from after the change ends at once`(backlog: Backlog) {
    let context = ManualContext()
    let token = cell.prefix(until: stop).observe(on: context.delivery, backlog: backlog) { _ in }
    context.run()
    stop.send(true)
    cell.send(1)
    context.run()
    #expect(token.hasEnded)
  }

  @Test
  func `a change before the first look of a reader ends it with the current value`() {
    let reader = StreamingReader(cell.prefix(until: stop), .latest)
    stop.send(true)
    reader.read()
    cell.send(1)
    reader.read()
    #expect(reader.readings.map(\.value) == [0])
  }

  @Test
  func `the current value of the other source is no change`() {
    stop.send(true)
    let reader = StreamingReader(cell.prefix(until: stop.filter { $0 }), .unbounded)
    cell.send(1)
    stop.send(false)
    cell.send(2)
    stop.send(true)
    cell.send(3)
    reader.read()
    #expect(reader.readings.map(\.value) == [0, 1, 2])
  }

  @Test(arguments: [Backlog.latest, .unbounded])
  func `the first event ends a reader`(backlog: Backlog) {
    let taps = EventSource<Void>()
    taps.send()
    let reader = StreamingReader(cell.prefix(until: taps), backlog)
    cell.send(1)
    reader.read()
    taps.send()
    cell.send(2)
    reader.read()
    #expect(reader.readings.last?.value == 1)
  }

  @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
  func `what the transaction of the change wrote is delivered`(backlog: Backlog) {
    let reader = StreamingReader(cell.prefix(until: stop), backlog)
    reader.read()
    BindingTransaction.run { [cell, stop] transaction in
      transaction[stop] = true
      transaction[cell] = 1
    }
    cell.send(2)
    reader.read()
    let isLate = backlog == .latest
    #expect(reader.readings.map(\.value) == (isLate ? [0] : [0, 1]))
  }

  @Test
  func `a source until a value of its own includes that value`() async {
    let values = cell.prefix(until: cell.filter { $0 == 3 }).values(backlog: .unbounded)
    for number in 1...5 { cell.send(number) }
    #expect(await values.elements() == [0, 1, 2, 3])
  }

  @Test
  func `all elements of the last update are delivered`() {
    let other = BindableActor(10)
    let reader = StreamingReader(merge(cell, other).prefix(until: stop), .unbounded)
    BindingTransaction.run { [cell, stop] transaction in
      transaction[cell] = 1
      transaction[other] = 11
      transaction[stop] = true
    }
    cell.send(2)
    reader.read()
    #expect(reader.readings.map(\.value) == [0, 10, 1, 11])
  }

  @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
  func `it ends when its source ends, although the other source goes on`(backlog: Backlog) async {
    let values = cell.prefix(until: stop).values(backlog: backlog)
    async let elements = values.elements()
    cell.send(1)
    cell.finish()
    #expect(await elements.last == 1)
    #expect(stop.observerCount == 0)
    stop.send(true)
    // A reader that begins after the end receives the last value.
    #expect(await cell.prefix(until: stop).values.elements() == [1])
  }

  @Test
  func `the end of the other source ends nothing`() {
    let reader = StreamingReader(cell.prefix(until: stop), .latest)
    reader.read()
    stop.finish()
    cell.send(1)
    reader.read()
    #expect(reader.readings.map(\.value) == [0, 1])
  }

  @Test
  func `a reader that begins after the change waits for the next change`() {
    let source = cell.prefix(until: stop)
    let former = StreamingReader(source, .unbounded)
    stop.send(true)
    let reader = StreamingReader(source, .unbounded)
    cell.send(1)
    for one in [former, reader] { one.read() }
    #expect(former.readings.map(\.value) == [0])
    #expect(reader.readings.map(\.value) == [0, 1])
  }

  @Test
  func `the source may end by itself`() async {
    let values = cell.prefix(2).prefix(until: stop).values(backlog: .unbounded)
    for number in 1...3 { cell.send(number) }
    #expect(await values.elements() == [0, 1])
    #expect(cell.observerCount == 0)
  }

  @Test
  func `two ends in a row: the first one counts`() async {
    let other = BindableActor(0)
    let source = cell.prefix(until: stop).prefix(until: other)
    let (first, second) = (source.values(backlog: .unbounded), source.values(backlog: .unbounded))
    cell.send(1)
    stop.send(true)
    cell.send(2)
    #expect(await first.elements() == [0, 1])
    let third = source.values(backlog: .unbounded)
    cell.send(3)
    other.send(1)
    cell.send(4)
    #expect(await second.elements() == [0, 1])
    #expect(await third.elements() == [2, 3])
    let fourth = source.values(backlog: .unbounded)
    cell.finish()
    #expect(await fourth.elements() == [4])
  }

  @Test
  func `after the end a bounded reader that is busy makes the other source keep no log`() {
    let reader = StreamingReader(cell.prefix(until: stop), .bounded(2))
    reader.read()
    #expect(stop.cell.locked { state, _ in state.logReaders } == 1)
    cell.finish()
    stop.send(true)
    #expect(stop.cell.locked { state, _ in state.logReaders } == 0)
    reader.read()
    #expect(reader.readings.map(\.value) == [0])
  }

  @Test
  func `after the end a step that finds nothing new gives up the log of the other source`() {
    let source = cell.prefix(until: stop)
    let few = source.values(backlog: .bounded(2))
    do {
      let all = source.values(backlog: .unbounded)
      cell.finish()
      // The reader that leaves here finds the end when it reads what has piled up for it.
      withExtendedLifetime(all) {}
    }
    source.cursor.root.cell.refresh()
    #expect(stop.cell.locked { state, _ in state.logReaders } == 0)
    withExtendedLifetime(few) {}
  }

  @Test
  func `a relay behind it ends at the change`() async {
    let clock = ManualClock()
    let stream = cell.prefix(until: stop).throttle(for: .seconds(1), clock: clock).values(backlog: .unbounded)
    async let elements = stream.elements()
    await clock.slept(0)
    stop.send(true)
    #expect(await elements == [0])
    #expect(cell.observerCount == 0)
  }

  @Test
  func `a relay that rests ends with the source, although the other source goes on`() async {
    let clock = ManualClock()
    var values = cell.prefix(until: stop).throttle(for: .seconds(5), clock: clock)
      .values(backlog: .unbounded).makeAsyncIterator()
    #expect(await values.next() == 0)
    cell.send(1)
    await clock.slept(1)
    cell.finish()
    #expect(await values.next() == 1)
    #expect(await values.next() == nil)
    await clock.slept(0)
    #expect(stop.observerCount == 0)
  }
}
