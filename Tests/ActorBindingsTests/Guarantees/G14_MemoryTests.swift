import ActorBindings
import Testing

@Suite
struct G14MemoryTests {
  @Test
  func `G14 an idle observer or loop holds no history, whatever its backlog`() async {
    let census = Census()
    let cell = BindableActor(census.citizen())
    let context = ManualContext()
    let backlogs: [Backlog] = [.latest, .bounded(10), .unbounded]
    let tokens = backlogs.map { cell.observe(on: context.delivery, backlog: $0) { _ in } }
    let loops = backlogs.map { backlog in
      Task { for await _ in cell.values(backlog: backlog) {} }
    }
    for number in 1...100 {
      cell.send(census.citizen(number))
      context.run()
      await cell.parked(4)
    }
    #expect(census.alive == 1)
    cell.finish()
    context.run()
    for loop in loops { await loop.value }
    withExtendedLifetime(tokens) {}
  }

  @Test
  func `G14 a latest reader that is busy holds nothing of what it skips`() {
    let census = Census()
    let cell = BindableActor(census.citizen())
    let context = ManualContext()
    let tokens = (0..<10).map { _ in cell.observe(on: context.delivery) { _ in } }
    let iterators = (0..<10).map { _ in cell.values.makeAsyncIterator() }
    for number in 1...1_000 { cell.send(census.citizen(number)) }
    #expect(census.alive == 1)
    withExtendedLifetime((tokens, iterators)) {}
  }

  @Test
  func `G14 bounded readers hold as many values as the largest bound`() {
    let census = Census()
    let cell = BindableActor(census.citizen())
    let context = ManualContext()
    let tokens = (0..<10).map { _ in cell.observe(on: context.delivery, backlog: .bounded(5)) { _ in } }
    var streams = (0..<10).map { _ in cell.values(backlog: .bounded(20)) }
    for number in 1...1_000 { cell.send(census.citizen(number)) }
    #expect(census.alive == 20)
    withExtendedLifetime(streams) {}
    streams = []
    #expect(census.alive == 5)
    context.run()
    #expect(census.alive == 1)
    withExtendedLifetime(tokens) {}
  }

  @Test(arguments: [1_000, 4_000])
  func `G14 a deep reader that has caught up keeps nothing for a shallow reader that is stalled`(count: Int)
    async
  {
    let census = Census()
    let cell = BindableActor(census.citizen())
    let stalled = cell.values(backlog: .bounded(2))
    var deep = cell.values(backlog: .bounded(1_000_000)).makeAsyncIterator()
    _ = await deep.next()
    for number in 1...count {
      cell.send(census.citizen(number))
      _ = await deep.next()
    }
    #expect(census.alive == 2)
    // A deep reader that is always a little behind keeps nothing more either.
    for number in 1...3 { cell.send(census.citizen(number)) }
    for number in 1...count {
      cell.send(census.citizen(number))
      _ = await deep.next()
    }
    #expect(census.alive <= 4)
    withExtendedLifetime((stalled, deep)) {}
  }

  @Test
  func `G14 any number of unbounded readers hold each update once`() async {
    let census = Census()
    let cell = BindableActor(census.citizen())
    let context = ManualContext()
    let tokens = (0..<10).map { _ in cell.observe(on: context.delivery, backlog: .unbounded) { _ in } }
    let streams = (0..<10).map { _ in cell.values(backlog: .unbounded) }
    for number in 1...1_000 { cell.send(census.citizen(number)) }
    #expect(census.alive == 1_001)
    context.run()
    // The streams have not read these values yet.
    #expect(census.alive == 1_001)
    let iterators = streams.map { $0.makeAsyncIterator() }
    #expect(census.alive == 1_001)
    withExtendedLifetime((tokens, iterators)) {}
  }

  @Test
  func `G14 updates that the slowest reader has received are freed`() async {
    let census = Census()
    let cell = BindableActor(census.citizen())
    var slow = cell.values(backlog: .unbounded).makeAsyncIterator()
    var fast = cell.values(backlog: .unbounded).makeAsyncIterator()
    for number in 1...100 { cell.send(census.citizen(number)) }
    for _ in 0...100 { _ = await fast.next() }
    #expect(census.alive == 101)
    for _ in 0..<51 { _ = await slow.next() }
    // The position of `slow` is version 50, which it has received and no longer holds.
    #expect(census.alive == 50)
    for _ in 0..<50 { _ = await slow.next() }
    #expect(census.alive == 1)
  }

  @Test
  func `G14 a stream whose loop runs reserves no position`() async {
    let census = Census()
    let cell = BindableActor(census.citizen())
    let stream = cell.values(backlog: .unbounded)
    var iterator = stream.makeAsyncIterator()
    for number in 1...100 { cell.send(census.citizen(number)) }
    for _ in 0...100 { _ = await iterator.next() }
    #expect(census.alive == 1)
    withExtendedLifetime(stream) {}
  }

  @Test
  func `G14 when the last reader leaves, its history is freed`() {
    let census = Census()
    let cell = BindableActor(census.citizen())
    let context = ManualContext()
    let token = cell.observe(on: context.delivery, backlog: .unbounded) { _ in }
    let cancelled = cell.observe(on: context.delivery, backlog: .bounded(7)) { _ in }
    for number in 1...100 { cell.send(census.citizen(number)) }
    #expect(census.alive == 101)
    token.cancel()
    #expect(census.alive == 7)
    cancelled.cancel()
    #expect(census.alive == 1)
  }

  @Test(arguments: [false, true])
  func `G14 a backlog of a million updates is freed without recursion`(isObserved: Bool) {
    let census = Census()
    let cell = BindableActor(census.citizen())
    let count = 1_000_000
    do {
      let context = ManualContext()
      let token = isObserved ? cell.observe(on: context.delivery, backlog: .unbounded) { _ in } : nil
      let stream = isObserved ? nil : cell.values(backlog: .unbounded)
      let citizen = census.citizen()
      for _ in 1..<count { cell.send(citizen) }
      cell.send(census.citizen())
      #expect(census.alive == 3)
      withExtendedLifetime((token, stream)) {}
    }
    #expect(census.alive == 1)
  }
}
