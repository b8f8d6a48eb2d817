import ActorBindings
import Testing

@Suite
struct G07PlaceTests {
  /// Observes on `context`, with updates from several tasks, and returns the number of calls that ran elsewhere, or at
  /// the same time as another call.
  private func faults(on context: DeliveryContext, isHere: @escaping @Sendable () -> Bool) async -> Int {
    let cell = BindableActor(0)
    let running = Counter()
    let faults = Counter()
    let seen = Recorder<Int>()
    let handler: @Sendable (Int) -> Void = { value in
      if !isHere() || running.add() != 1 { faults.add() }
      seen.record(value)
      running.add(-1)
    }
    let token = cell.observe(on: context, backlog: .unbounded, handler)
    await concurrently(2) { _ in
      await repeatedly(1_000) { _ in cell.modify { $0 += 1 } }
    }
    await cell.settled()
    #expect(seen.elements == Array(0...2_000))
    withExtendedLifetime(token) {}
    return faults.value
  }

  @Test(arguments: [false, true])
  func `G7 on a queue, even a concurrent queue, calls come one at a time and in order`(isConcurrent: Bool)
    async
  {
    let station = Station(isConcurrent: isConcurrent)
    #expect(await faults(on: .queue(station.queue)) { station.isHere } == 0)
  }

  @Test(arguments: [false, true])
  func `G7 on a task executor, which may be concurrent`(isConcurrent: Bool) async {
    let station = Station(isConcurrent: isConcurrent)
    #expect(await faults(on: .taskExecutor(station)) { station.isHere } == 0)
  }

  @Test
  func `G7 on a serial executor`() async {
    let station = Station()
    #expect(await faults(on: .serialExecutor(station)) { station.isHere } == 0)
  }

  @Test
  func `G7 on the main actor`() async {
    let faults = await faults(on: .main) {
      MainActor.assertIsolated()
      return true
    }
    #expect(faults == 0)
  }

  @Test
  func `G7 on the threads of the writers, one call at a time`() async {
    #expect(await faults(on: .immediate) { true } == 0)
  }

  @Test
  func `G7 on a custom context`() async {
    let station = Station()
    let context = DeliveryContext(id: "G7 custom") { job in station.run(job) }
    #expect(await faults(on: context) { station.isHere } == 0)
  }

  @Test
  func `G7 on the cell's own isolation`() async {
    let cell = BindableActor(0)
    let seen = Recorder<Int>()
    let token = cell.observe(on: .cell, backlog: .unbounded) { [weak cell] value in
      cell?.assertIsolated()
      seen.record(value)
    }
    await concurrently(2) { task in
      for _ in 0..<500 {
        if task == 0 { cell.modify { $0 += 1 } } else { await cell.update { $0 += 1 } }
      }
    }
    await cell.settled()
    #expect(seen.elements == Array(0...1_000))
    withExtendedLifetime(token) {}
  }

  @Test
  func `G7 on an actor, named or the caller's own`() async {
    let cell = BindableActor(0)
    let worker = Worker()
    let faults = Counter()
    let station = worker.station
    cell.observe(with: worker, backlog: .unbounded) { worker, value in
      if !station.isHere { faults.add() }
      worker.record(value)
    }
    let own = Recorder<Int>()
    await worker.run { worker in
      cell.observe(worker, backlog: .unbounded, isolation: worker) { _, value in
        if !station.isHere { faults.add() }
        own.record(value)
      }
    }
    await concurrently(2) { _ in
      await repeatedly(500) { _ in cell.modify { $0 += 1 } }
    }
    await cell.settled()
    #expect(await worker.elements == Array(0...1_000))
    #expect(own.elements == Array(0...1_000))
    #expect(faults.value == 0)
  }

  @Test
  func `G7 transforms run on the observation's context`() async {
    let cell = BindableActor(0)
    let station = Station()
    let faults = Counter()
    let source =
      cell
      .map { value in
        if !station.isHere { faults.add() }
        return value
      }
      .filter { _ in
        if !station.isHere { faults.add() }
        return true
      }
    let token = source.observe(on: .queue(station.queue)) { _ in }
    for value in 1...100 { cell.send(value) }
    await cell.settled()
    #expect(faults.value == 0)
    withExtendedLifetime(token) {}
  }

  @Test
  func `G7 observations on one context share a lane: all are served by one job`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    let seen = Counter()
    let tokens = (0..<100).map { _ in cell.observe(on: context.delivery) { _ in seen.add() } }
    #expect(context.pending == 1)
    context.run()
    #expect(seen.value == 100)
    for value in 1...10 { cell.send(value) }
    #expect(context.pending == 1)
    context.run()
    #expect(seen.value == 200)
    withExtendedLifetime(tokens) {}
  }

  @Test
  func `G7 an owner is made strong only on its context: it dies where its last reference is released`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    let hasDied = Flag()
    var owner: Mortal? = Mortal { hasDied.set() }
    cell.observe(owner!, on: context.delivery) { _, _ in }
    context.run()
    for value in 1...10 { cell.send(value) }
    owner = nil
    #expect(hasDied.isSet)
    cell.send(11)
    context.run()
  }

  @Test
  func `G7 an owner that only its handler's call keeps dies on its context`() async {
    let cell = BindableActor(0)
    let station = Station()
    let diedHere = Box<Bool>()
    let (began, goOn) = (Gate(), Latch())
    let box = Box(Mortal { diedHere.value = station.isHere })
    cell.observe(box.value!, on: .queue(station.queue)) { _, _ in
      began.open()
      goOn.wait()
    }
    await began.passed()
    box.value = nil
    #expect(diedHere.value == nil)
    goOn.open()
    await cell.settled()
    #expect(diedHere.value == true)
  }
}
