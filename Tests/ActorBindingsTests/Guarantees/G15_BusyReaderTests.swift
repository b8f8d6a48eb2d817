import ActorBindings
import Testing

@Suite
struct G15BusyReaderTests {
  @Test
  func `G15 a busy lane is woken once, however much is written`() {
    let cell = BindableActor(0)
    let contexts = (0..<10).map { _ in ManualContext() }
    let tokens = contexts.map { cell.observe(on: $0.delivery, backlog: .unbounded) { _ in } }
    for context in contexts { context.run() }
    for value in 1...1_000 { cell.send(value) }
    #expect(contexts.allSatisfy { $0.pending == 1 })
    withExtendedLifetime(tokens) {}
  }

  @Test
  func `G15 readers that are busy are not parked, so a writer wakes none`() async {
    let cell = BindableActor(0)
    let context = ManualContext()
    let token = cell.observe(on: context.delivery, backlog: .unbounded) { _ in }
    var iterators = (0..<100).map { _ in cell.values(backlog: .unbounded).makeAsyncIterator() }
    for index in iterators.indices { _ = await iterators[index].next() }
    for value in 1...10 {
      #expect(cell.cell.locked { $0.idle.members.isEmpty })
      cell.send(value)
    }
    #expect(context.pending == 1)
    withExtendedLifetime((token, iterators)) {}
  }

  @Test(arguments: [Backlog.latest, .bounded(10), .unbounded])
  func `G15 the cost of a write does not depend on the number of busy readers`(backlog: Backlog) async {
    // Returns the best of several measurements, because other programs use this machine too.
    func cost(readers count: Int) -> Duration {
      let cell = BindableActor(0)
      let context = ManualContext()
      let tokens = (0..<count).map { _ in cell.observe(on: context.delivery, backlog: backlog) { _ in } }
      let iterators = (0..<count).map { _ in cell.values(backlog: backlog).makeAsyncIterator() }
      let clock = ContinuousClock()
      let best = (0..<5).map { _ in clock.measure { for value in 0..<1_000 { cell.send(value) } } }.min()!
      withExtendedLifetime((tokens, iterators)) {}
      return best
    }

    // A writer that visited all readers would take a thousand times as long.
    let (few, many) = (cost(readers: 1), cost(readers: 2_000))
    #expect(many < few * 20)
  }

  @Test
  func `G15 the cost of a write does not depend on how far they lag`() {
    let cell = BindableActor(0)
    let streams = [cell.values(backlog: .unbounded), cell.values(backlog: .bounded(1_000))]
    let clock = ContinuousClock()
    func cost() -> Duration {
      (0..<5).map { _ in clock.measure { for value in 0..<1_000 { cell.send(value) } } }.min()!
    }
    let near = cost()
    for value in 0..<200_000 { cell.send(value) }
    let far = cost()
    #expect(far < near * 20)
    withExtendedLifetime(streams) {}
  }
}
