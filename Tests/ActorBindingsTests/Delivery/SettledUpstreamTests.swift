import ActorBindings
import Testing

/// `settled()` of sources that are derived from others.
@Suite
struct SettledUpstreamTests {
  @Test(arguments: [Backlog.latest, .unbounded])
  func `one call waits for five steps between the written cell and the observer`(_ backlog: Backlog) async {
    let (orders, limit) = (BindableActor(0), BindableActor(1000))
    let report = BindableActor(of: orders.map { $0 * 2 }, backlog: backlog)
    let rooms = [BindableActor(of: report.map { $0 + 1 }), BindableActor(of: report.map { $0 + 2 })]
    let switched = report.flatMapLatest(innerBacklog: backlog) { [rooms] in rooms[$0 % 4 / 2] }
    let total = BindableActor(initially: 0, of: switched, backlog: backlog)
    let verdict = combineLatest(total, limit)
    let seen = Recorder<Int>()
    let token = verdict.observe(on: .queue(Station().queue), backlog: backlog) { seen.record($0.0) }
    for order in 1...200 {
      orders.send(order)
      await verdict.settled()
      #expect(seen.last == order * 2 + 1 + (order * 2 % 4 / 2))
    }
    withExtendedLifetime((report, rooms, total)) { token.cancel() }
  }

  @Test
  func `settled does not wait for an observation upstream that has nothing to do with the source`() async {
    let cell = BindableActor(0)
    let stuck = ManualContext()
    let other = cell.observe(on: stuck.delivery) { _ in }
    let derived = BindableActor(of: cell)
    let factor = BindableActor(2)
    let doubled = combineLatest(derived, factor).map { $0 * $1 }
    let seen = Recorder<Int>()
    let token = doubled.observe(on: .queue(Station().queue)) { seen.record($0) }
    cell.send(1)
    await doubled.settled()
    #expect(seen.last == 2)
    #expect(stuck.pending > 0)
    token.cancel()
    withExtendedLifetime((derived, factor)) { other.cancel() }
  }

  @Test
  func `a source without readers has settled`() async {
    let cell = BindableActor(0)
    cell.send(1)
    await cell.map { $0 + 1 }.settled()
    await cell.debounce(for: .seconds(1000)).settled()
    await cell.flatMapLatest { _ in cell }.settled()
    await interval(.seconds(1000)).settled()
  }

  @Test
  func `settled waits for no timer`() async {
    let (cell, clock) = (BindableActor(0), ManualClock())
    let pauses = cell.debounce(for: .seconds(1), clock: clock)
    let seen = Recorder<Int>()
    let token = pauses.observe(on: .queue(Station().queue)) { seen.record($0) }
    await pauses.settled()
    let before = seen.elements
    cell.send(1)
    await pauses.settled()
    #expect(seen.elements == before)
    token.cancel()
  }

  @Test
  func `settled ends for a cell that follows itself`() async {
    let hub = BindableActor(AnyBindingSource<Int>.never)
    let ring = BindableActor(initially: 0, of: hub.flatMapLatest { $0.removeDuplicates() })
    hub.send(ring.erased())
    await ring.settled()
    ring.send(1)
    await ring.settled()
    #expect(ring.value == 1)
    // A switch keeps the cell of its inner source alive, so the ring holds itself until the switch goes on.
    hub.send(.empty)
    hub.finish()
    await eventually { ring.isFinished }
  }

  @Test
  func `settled returns though the cells upstream are written all the time`() async {
    let (outer, inner) = (BindableActor(0), BindableActor(0))
    let isOver = Box(false)
    // Each switch writes the outer cell, so there is always another switch to come. A task that writes by itself could
    // be faster than the switches, which would then fall behind by more and more.
    let switched = BindableActor(
      initially: 0,
      of: outer.flatMapLatest { value in
        if isOver.value != true { outer.send(value + 1) }
        return inner
      }
    )
    let derived = BindableActor(of: outer)
    let both = combineLatest(switched, derived).map { $0 + $1 }
    let token = both.observe(on: .queue(Station().queue)) { _ in }
    for _ in 0..<50 { await both.settled() }
    #expect(outer.value > 50)
    isOver.value = true
    withExtendedLifetime((inner, switched, derived)) { token.cancel() }
  }

  @Test
  func `settled of an erased source waits for what is behind it`() async {
    let cell = BindableActor(0)
    let source = BindableActor(of: cell.map { $0 + 1 })
    let erased: AnyStateSource<Int> = source.map { $0 * 10 }.erased()
    let seen = Recorder<Int>()
    let token = erased.observe(on: .queue(Station().queue)) { seen.record($0) }
    for value in 1...100 {
      cell.send(value)
      await erased.settled()
      #expect(seen.last == (value + 1) * 10)
    }
    withExtendedLifetime(source) { token.cancel() }
  }
}
