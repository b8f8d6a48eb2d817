import ActorBindings
import Testing

/// Tests in which other libraries fail, as measured on x86-64 under Linux. Each name says which library fails, and how.
@Suite
struct PeerFailureTests {
  @Test
  func `two writers race and an observer stays stale for ever (RxSwift, OpenCombine)`() async {
    let cell = BindableActor(0)
    let onQueue = Counter(-1)
    let inLoop = Counter(-1)
    let token = cell.observe(on: .queue(Station().queue)) { onQueue.set($0) }
    let loop = Task { for await value in cell.values { inLoop.set(value) } }
    for round in 0..<stressed(3_000) {
      await concurrently(2) { writer in cell.send(2 * round + writer) }
      await cell.settled()
      await cell.parked(2)
      let last = cell.value
      #expect(onQueue.value == last)
      #expect(inLoop.value == last)
      guard onQueue.value == last, inLoop.value == last else { break }
    }
    cell.finish()
    await loop.value
    withExtendedLifetime(token) {}
  }

  @Test
  func `calls of one observer overlap when two writers send at once (RxSwift)`() async {
    let cell = BindableActor(0)
    let station = Station(isConcurrent: true)
    let overlaps = Counter()
    // A context that runs on the writer's thread, as in these libraries, and a concurrent queue.
    let inPlace = DeliveryContext(id: "in the writer's place") { $0() }
    let tokens = [inPlace, .queue(station.queue)].map { context in
      let running = Counter()
      return cell.observe(on: context, backlog: .unbounded) { _ in
        if running.add() != 1 { overlaps.add() }
        _ = cell.value
        running.add(-1)
      }
    }
    await concurrently(4) { writer in
      await repeatedly(stressed(5_000)) { _ in cell.send(writer) }
    }
    await cell.settled()
    #expect(overlaps.value == 0)
    withExtendedLifetime(tokens) {}
  }

  @Test
  func `values are lost while a reader subscribes (AsyncExtensions)`() async {
    for _ in 0..<stressed(500) {
      let cell = BindableActor(0)
      async let writing: Void = repeatedly(50) { _ in cell.modify { $0 += 1 } }
      let stream = cell.updates(backlog: .unbounded)
      await writing
      cell.finish()
      let versions = await stream.elements().map(\.version)
      #expect(versions.last == 50)
      #expect(versions == Array(versions[0]...50))
    }
  }

  @Test
  func `a value set from another isolation while the loop is busy is missed (Observations)`() async {
    for round in 0..<stressed(500) {
      let cell = BindableActor(0)
      let loops = (0..<2).map { index in
        Task { @MainActor in
          for await value in cell.values {
            if index == 0 { await Task.yield() }
            if value == 20 { return true }
          }
          return false
        }
      }
      await Task.detached {
        for value in 1...20 {
          cell.send(value)
          if (value + round) % 7 == 0 { await Task.yield() }
        }
      }.value
      for loop in loops { #expect(await loop.value) }
    }
  }

  @Test
  func `a loop that is cancelled before it has parked hangs (Afluent)`() async {
    let cell = BindableActor(0)
    for _ in 0..<stressed(5_000) {
      let loop = Task { for await _ in cell.values {} }
      loop.cancel()
      await loop.value
    }
    #expect(cell.observerCount == 0)
    await cell.parked(0)
  }

  @Test
  func `a loop that breaks leaks its buffer (AsyncExtensions, OpenCombine)`() async {
    let census = Census()
    let cell = BindableActor(census.citizen())
    for number in 0..<1_000 {
      for await _ in cell.values(backlog: number % 2 == 0 ? .unbounded : .bounded(10)) { break }
      cell.send(census.citizen(number))
    }
    #expect(cell.observerCount == 0)
    #expect(census.alive == 1)
  }

  @Test
  func `dead owners are kept for ever (RxSwift subscribe(with:))`() async {
    let census = Census()
    let cell = BindableActor(0)
    let station = Station()
    for _ in 0..<10_000 {
      let citizen = census.citizen()
      cell.observe(Mortal {}, on: .queue(station.queue)) { _, _ in withExtendedLifetime(citizen) {} }
    }
    cell.send(1)
    await cell.settled()
    #expect(cell.observerCount == 0)
    #expect(census.alive == 0)
  }

  @Test
  func `the cost of a cancellation grows with the observers (ReactiveSwift, ReactiveKit, CombineX)`() {
    // Cancels all observations from both ends, which is the worst order for a search.
    func cost(of count: Int) -> Duration {
      let cell = BindableActor(0)
      let context = ManualContext()
      let tokens = (0..<count).map { _ in cell.observe(on: context.delivery) { _ in } }
      context.run()
      let cost = ContinuousClock().measure {
        for index in 0..<count / 2 {
          tokens[count - 1 - index].cancel()
          tokens[index].cancel()
        }
      }
      #expect(cell.observerCount == 0)
      return cost / count
    }

    let few = (0..<5).map { _ in cost(of: 1_000) }.min()!
    let many = (0..<3).map { _ in cost(of: 50_000) }.min()!
    #expect(many < few * 10)
  }

  @Test
  func `a yield under a lock deadlocks against a cancellation (broadcasters made of AsyncStream)`() async {
    let cell = BindableActor(0)
    let token = cell.observe(on: .main) { _ in }
    for round in 0..<stressed(5_000) {
      let loop = Task { await cell.values(backlog: .unbounded).elements().count }
      await concurrently(2) { task in
        if task == 0 { cell.send(round) } else { loop.cancel() }
      }
      #expect(await loop.value <= 2)
    }
    #expect(cell.observerCount == 1)
    withExtendedLifetime(token) {}
  }

  @Test
  func `updates are reordered on their way to an actor (a task per value)`() async {
    let cell = BindableActor(0)
    let worker = Worker()
    cell.observe(with: worker, backlog: .unbounded) { $0.record($1) }
    await repeatedly(stressed(20_000)) { cell.send($0 + 1) }
    await cell.settled()
    #expect(await worker.elements == Array(0...stressed(20_000)))
  }

  @Test
  func `an update right after a registration is missed (registering in a task)`() async {
    for _ in 0..<stressed(2_000) {
      let cell = BindableActor(0)
      let seen = Recorder<Int>()
      let token = cell.observe(on: .main, backlog: .unbounded) { seen.record($0) }
      cell.send(1)
      await cell.settled()
      #expect(seen.elements == [0, 1])
      withExtendedLifetime(token) {}
    }
  }

  @Test
  func `a second consumer takes the first one's values (AsyncStream)`() async {
    let cell = BindableActor(0)
    let stream = cell.values(backlog: .unbounded)
    let iterators = (0..<3).map { _ in stream.makeAsyncIterator() }
    for value in 1...100 { cell.send(value) }
    cell.finish()
    for var iterator in iterators {
      var seen: [Int] = []
      while let value = await iterator.next() { seen.append(value) }
      #expect(seen == Array(0...100))
    }
  }
}
