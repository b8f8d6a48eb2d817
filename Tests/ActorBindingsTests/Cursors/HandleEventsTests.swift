import ActorBindings
import Testing

@Suite
struct HandleEventsTests {
  private let cell = BindableActor(1)
  private let context = ManualContext()
  private let seen = Recorder<String>()

  private var traced: some BindingSource<Int> { cell.debug("cell", to: { [seen] in seen.record($0) }) }

  @Test
  func `an observer is traced from its first read to the end`() {
    let token = traced.observe(on: context.delivery, backlog: .unbounded) { [seen] in seen.record("got \($0)")
    }
    #expect(seen.elements == [])
    context.run()
    cell.send(2)
    cell.finish()
    context.run()
    #expect(
      seen.elements == [
        "cell: subscribed", "cell: value 1", "got 1", "cell: value 2", "got 2", "cell: ended",
      ]
    )
    token.cancel()
    #expect(seen.count == 6)
  }

  @Test
  func `a cancelled observer is traced to its cancellation`() {
    let token = traced.observe(on: context.delivery) { _ in }
    context.run()
    token.cancel()
    context.run()
    #expect(seen.elements == ["cell: subscribed", "cell: value 1", "cell: cancelled"])
  }

  @Test
  func `an observer that is cancelled before its first read is not traced`() {
    let token = traced.observe(on: context.delivery) { _ in }
    token.cancel()
    context.run()
    #expect(seen.elements == [])
  }

  @Test
  func `a loop is traced to its break, and a cancelled loop too`() async {
    for await _ in traced.values { break }
    await seen.reached(3)
    let loop = Task { for await _ in traced.values {} }
    await seen.reached(5)
    loop.cancel()
    await loop.value
    await seen.reached(6)
    let once = ["cell: subscribed", "cell: value 1", "cell: cancelled"]
    #expect(seen.elements == once + once)
  }

  @Test
  func `each reader has its own events, and a dead owner counts as a cancellation`() {
    final class Owner: Sendable {}
    var owner: Owner? = Owner()
    let source = traced
    source.observe(owner!, on: context.delivery) { _, _ in }
    let token = source.observe(on: context.delivery) { _ in }
    context.run()
    #expect(seen.elements.count { $0 == "cell: subscribed" } == 2)
    owner = nil
    cell.send(2)
    context.run()
    #expect(seen.elements.count { $0 == "cell: cancelled" } == 1)
    withExtendedLifetime(token) {}
  }

  @Test
  func `what an operator before it rejects is no event, and nothing runs without a reader`() {
    let source = cell.filter { $0 > 1 }.handleEvents(onValue: { [seen] in seen.record("\($0)") })
    cell.send(2)
    #expect(seen.elements == [])
    let token = source.observe(on: context.delivery, backlog: .unbounded) { _ in }
    for number in [0, 3, 1] { cell.send(number) }
    context.run()
    #expect(seen.elements == ["2", "3"])
    withExtendedLifetime(token) {}
  }

  @Test
  func `the reader of a relay is traced to its end, and a side of a combination to its release`() async {
    let clock = ManualClock()
    let relay = traced.debounce(for: .seconds(1), clock: clock).observe(on: context.delivery) { _ in }
    let other = BindableActor(0)
    context.run()
    let token = combineLatest(other, traced).observe(on: context.delivery) { _ in }
    context.run()
    cell.finish()
    other.finish()
    await eventually { seen.elements.contains("cell: ended") }
    context.run()
    #expect(seen.elements.count { $0 == "cell: ended" } == 1)
    #expect(seen.elements.count { $0 == "cell: cancelled" } == 1)
    withExtendedLifetime((relay, token)) {}
  }

  @Test
  func `a state stays a state, and reading its value is no event`() {
    let state: some StateSource<String> = cell.debug("cell", to: { [seen] in seen.record($0) }).map {
      "\($0)"
    }
    #expect(state.value == "1")
    cell.send(2)
    #expect(state.value == "2")
    #expect(seen.elements == [])
    let copy = BindableActor(of: state)
    #expect(copy.value == "2")
  }

  @Test
  func `reading the value of a combination is a reader that comes and goes`() {
    let sum = combineLatest(cell.debug("cell", to: { [seen] in seen.record($0) }), cell).map(+)
    #expect(sum.value == 2)
    #expect(seen.elements == ["cell: subscribed", "cell: value 1", "cell: cancelled"])
  }
}
