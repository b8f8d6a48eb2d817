import ActorBindings
import Testing

@Suite struct EventsTests {
  @Test(arguments: [Backlog.latest, .bounded(4), .unbounded])
  func `who observes is told of what happens from then on`(_ backlog: Backlog) {
    let events = Events<Int>()
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
  func `G6 what happens right after the beginning is not missed`(_ backlog: Backlog) {
    let events = Events<Int>()
    let context = ManualContext()
    events.send(1)
    let seen = Recorder<Int>()
    let token = events.observe(on: context.delivery, backlog: backlog) { seen.record($0) }
    // Before the context has come to the beginning.
    events.send(2)
    context.run()
    #expect(seen.elements == [2])
    token.cancel()
  }

  @Test func `a source that was made of it earlier begins as late as its reader`() {
    let events = Events<Int>()
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

  @Test func `what is bound to them is sent`() {
    let (cell, events, context) = (BindableActor(1), Events<Int>(), ManualContext())
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

  @Test func `an event without a value is one`() async {
    let taps = Events<Void>()
    let all = taps.values(backlog: .unbounded)
    taps.send()
    taps.send()
    taps.finish()
    var count = 0
    for await _ in all { count += 1 }
    #expect(count == 2)
  }
}
