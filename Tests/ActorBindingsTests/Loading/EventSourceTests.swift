import ActorBindings
import Testing

@Suite struct EventSourceTests {
  @Test(arguments: [Backlog.latest, .bounded(4), .unbounded])
  func `a reader receives the events after it began`(_ backlog: Backlog) {
    let events = EventSource<Int>()
    let context = ManualContext()
    events.send(1)
    let seen = Recorder<Int>()
    let token = events.observe(on: context.delivery, backlog: backlog) { seen.record($0) }
    context.run()
    #expect(seen.elements == [])
    events.send(2)
    context.run()
    events.send(3)
    context.run()
    #expect(seen.elements == [2, 3])
    token.cancel()
  }

  @Test(arguments: [Backlog.latest, .bounded(4), .unbounded])
  func `G6 an event right after a reader began is not missed`(_ backlog: Backlog) {
    let events = EventSource<Int>()
    let context = ManualContext()
    events.send(1)
    let seen = Recorder<Int>()
    let token = events.observe(on: context.delivery, backlog: backlog) { seen.record($0) }
    // This event is sent before the context has run the beginning of the observation.
    events.send(2)
    context.run()
    #expect(seen.elements == [2])
    token.cancel()
  }

  @Test func `a source that was made of events earlier begins with its reader`() {
    let events = EventSource<Int>()
    let doubled = events.map { 2 * $0 }
    events.send(1)
    let context = ManualContext()
    let seen = Recorder<Int>()
    let token = doubled.observe(on: context.delivery) { seen.record($0) }
    context.run()
    events.send(2)
    context.run()
    #expect(seen.elements == [4])
    token.cancel()
  }

  @Test func `events that are bound to events are sent`() {
    let (cell, events, context) = (BindableActor(1), EventSource<Int>(), ManualContext())
    let seen = Recorder<Int>()
    let token = events.observe(on: context.delivery, backlog: .unbounded) { seen.record($0) }
    let binding = cell.bind(to: events, on: context.delivery)
    context.run()
    cell.send(2)
    context.run()
    #expect(seen.elements == [1, 2])
    binding.cancel()
    token.cancel()
  }

  @Test(arguments: [Backlog.latest, .bounded(1), .bounded(2), .bounded(4), .unbounded])
  func `G5 events before a loop began do not count as skipped`(_ backlog: Backlog) async {
    let events = EventSource<Int>()
    var loop = events.updates(backlog: backlog).makeAsyncIterator()
    // One event does not exceed the backlog of any of these readers.
    events.send(1)
    var update = await loop.next()
    #expect(update.map { [$0.value, $0.skipped] } == [1, 0])
    for event in 2...11 { events.send(event) }
    update = await loop.next()
    #expect(update.map { $0.value - $0.skipped } == 2)
  }

  @Test(arguments: [
    (Backlog.latest, 1), (.bounded(1), 1), (.bounded(2), 2), (.bounded(4), 4), (.unbounded, 10),
  ])
  func `G5 at the first overflow only events count as skipped`(_ backlog: Backlog, _ kept: Int) async {
    let events = EventSource<Int>()
    let context = ManualContext()
    let seen = Recorder<Update<Int>>()
    let token = events.versioned().observe(on: context.delivery, backlog: backlog) { seen.record($0) }
    var loop = events.updates(backlog: backlog).makeAsyncIterator()
    for event in 1...10 { events.send(event) }
    context.run()
    var updates: [Update<Int>] = []
    for _ in 0..<kept { if let update = await loop.next() { updates.append(update) } }
    #expect(updates.map(\.value) == Array((11 - kept)...10))
    #expect(updates.map(\.skipped) == [10 - kept] + Array(repeating: 0, count: kept - 1))
    #expect(seen.elements == updates)
    token.cancel()
  }

  @Test func `events may have no value`() async {
    let taps = EventSource<Void>()
    let all = taps.values(backlog: .unbounded)
    taps.send()
    taps.send()
    taps.finish()
    var count = 0
    for await _ in all { count += 1 }
    #expect(count == 2)
  }
}
