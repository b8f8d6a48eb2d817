import ActorBindings
import Testing

@Suite
struct G03LastValueTests {
  static let backlogs: [Backlog] = [.latest, .bounded(1), .bounded(3), .unbounded]

  @Test(arguments: backlogs)
  func `G3 the last value arrives at an observer that was busy, exactly once`(backlog: Backlog) {
    let cell = BindableActor(0)
    let context = ManualContext()
    let seen = Recorder<Int>()
    let token = cell.observe(on: context.delivery, backlog: backlog) { seen.record($0) }
    context.run()
    for value in 1...10 { cell.send(value) }
    context.run()
    #expect(seen.last == 10)
    #expect(seen.elements.count { $0 == 10 } == 1)
    context.run()
    #expect(seen.elements.count { $0 == 10 } == 1)
    withExtendedLifetime(token) {}
  }

  @Test(arguments: backlogs)
  func `G3 the last value arrives at an observer that was idle, exactly once`(backlog: Backlog) async {
    let cell = BindableActor(0)
    let seen = Recorder<Int>()
    let token = cell.observe(on: .queue(Station().queue), backlog: backlog) { seen.record($0) }
    await cell.settled()
    #expect(seen.elements == [0])
    await cell.parked(1)
    cell.send(1)
    await cell.settled()
    #expect(seen.elements == [0, 1])
    withExtendedLifetime(token) {}
  }

  @Test(arguments: backlogs)
  func `G3 the last value arrives at an observer in whose call it was sent`(backlog: Backlog) async {
    let cell = BindableActor(0)
    let began = Gate()
    let goOn = Latch()
    let seen = Recorder<Int>()
    let token = cell.observe(on: .queue(Station().queue), backlog: backlog) { value in
      began.open()
      goOn.wait()
      seen.record(value)
    }
    await began.passed()
    for value in 1...5 { cell.send(value) }
    goOn.open()
    await cell.settled()
    #expect(seen.elements.first == 0)
    #expect(seen.last == 5)
    #expect(seen.elements.count { $0 == 5 } == 1)
    withExtendedLifetime(token) {}
  }

  @Test(arguments: backlogs)
  func `G3 the last value arrives at a loop that was busy, and at one that was idle`(backlog: Backlog) async {
    let cell = BindableActor(0)
    let (inBusy, inIdle) = (Recorder<Int>(), Recorder<Int>())
    let gate = Gate()
    let busy = Task {
      for await value in cell.values(backlog: backlog) {
        inBusy.record(value)
        await gate.passed()
        if value == 7 { break }
      }
    }
    let idle = Task {
      for await value in cell.values(backlog: backlog) {
        inIdle.record(value)
        if value == 7 { break }
      }
    }
    await inBusy.reached(1)
    await inIdle.reached(1)
    await cell.parked(1)
    for value in 1...7 { cell.send(value) }
    gate.open()
    await busy.value
    await idle.value
    #expect(inBusy.last == 7)
    #expect(inIdle.last == 7)
    #expect(inBusy.elements.count { $0 == 7 } == 1)
  }

  @Test(arguments: backlogs)
  func `G3 when racing writers stop, every reader has the newest version`(backlog: Backlog) async {
    let cell = BindableActor(0)
    let worker = Worker()
    let seen = Recorder<Update<Int>>()
    let token = cell.versioned().observe(on: .queue(Station().queue), backlog: backlog) { seen.record($0) }
    cell.observe(with: worker, backlog: backlog) { $0.record($1) }
    let loop = Task { await cell.updates(backlog: backlog).elements() }
    await eventually { cell.observerCount == 3 }

    await concurrently(4) { writer in
      await repeatedly(1_000) { round in cell.send(writer * 1_000 + round) }
    }
    await cell.settled()
    #expect(seen.last?.version == 4_000)
    #expect(seen.last?.value == cell.value)
    #expect(await worker.elements.last == cell.value)
    cell.finish()
    let updates = await loop.value
    #expect(updates.last?.version == 4_000)
    #expect(updates.count { $0.version == 4_000 } == 1)
    #expect(seen.elements.count { $0.version == 4_000 } == 1)
    withExtendedLifetime(token) {}
  }
}
