import ActorBindings
import Testing

/// Tests writes against cancellations.
@Suite
struct CancelStressTests {
  @Test
  func `G8 after cancel at most the call that had started continues, while a writer writes`() async {
    let cell = BindableActor(0)
    let stop = Flag()
    let writer = Task.detached {
      while !stop.isSet {
        for _ in 0..<100 { cell.modify { $0 += 1 } }
        await Task.yield()
      }
    }
    let station = Station(isConcurrent: true)
    let contexts: [DeliveryContext] = [.queue(station.queue), .taskExecutor(station), .cell]
    let violations = Counter()
    await repeatedly(stressed(3_000)) { round in
      let isCancelled = Flag()
      let late = Counter()
      let backlog: Backlog = round % 2 == 0 ? .latest : .unbounded
      let token = cell.observe(on: contexts[round % 3], backlog: backlog) { _ in
        if isCancelled.isSet, late.add() > 1 { violations.add() }
      }
      token.cancel()
      isCancelled.set()
    }
    stop.set()
    await writer.value
    await cell.settled()
    #expect(violations.value == 0)
    #expect(cell.observerCount == 0)
  }

  @Test
  func `G8 cancelled on its own context, an observation makes no further call, while writers write`() async {
    let cell = BindableActor(0)
    let worker = Worker()
    let violations = Counter()
    await concurrently(3) { task in
      guard task == 0 else { return await repeatedly(stressed(5_000)) { cell.send($0) } }
      for round in 0..<stressed(2_000) {
        let isCancelled = Flag()
        let token = cell.observe(with: worker, backlog: .unbounded) { _, _ in
          if isCancelled.isSet { violations.add() }
        }
        if round % 2 == 0 { await Task.yield() }
        await worker.run { _ in
          token.cancel()
          isCancelled.set()
        }
      }
    }
    await cell.settled()
    #expect(violations.value == 0)
    #expect(cell.observerCount == 0)
  }

  @Test
  func `G8 after cancelAndWait no call runs, and none starts`() async {
    let cell = BindableActor(0)
    let stop = Flag()
    let writer = Task.detached {
      while !stop.isSet {
        for _ in 0..<100 { cell.modify { $0 += 1 } }
        await Task.yield()
      }
    }
    let station = Station(isConcurrent: true)
    let contexts: [DeliveryContext] = [.queue(station.queue), .taskExecutor(station), .cell, .main]
    let lateCalls = Counter()
    for round in 0..<stressed(2_000) {
      let isOver = Flag()
      let token = cell.observe(on: contexts[round % 4], backlog: round % 2 == 0 ? .latest : .unbounded) { _ in
        if isOver.isSet { lateCalls.add() }
        _ = cell.value
        if isOver.isSet { lateCalls.add() }
      }
      if round % 3 == 0 { await Task.yield() }
      await token.cancelAndWait()
      isOver.set()
    }
    stop.set()
    await writer.value
    await cell.settled()
    #expect(lateCalls.value == 0)
    #expect(cell.observerCount == 0)
  }

  @Test
  func `G8 cancelled by several tasks at once, in handlers too, an observation ends once`() async {
    let cell = BindableActor(0)
    let census = Census()
    let station = Station(isConcurrent: true)
    await concurrently(3) { task in
      await repeatedly(stressed(2_000)) { _ in
        let own = Box<BindingToken>()
        let citizen = census.citizen()
        let token = cell.observe(on: .queue(station.queue)) { _ in
          withExtendedLifetime(citizen) {}
          own.value?.cancel()
        }
        own.value = token
        cell.send(task)
        token.cancel()
        own.value = nil
      }
    }
    await cell.settled()
    await eventually { census.alive == 0 }
    #expect(cell.observerCount == 0)
    #expect(census.total == stressed(6_000))
  }

  @Test
  func `G12 a task cancelled while an update fans out to it ends, 20000 times`() async {
    let cell = BindableActor(0)
    let seen = Counter()
    for round in 0..<stressed(20_000) {
      let loop = Task { for await _ in cell.values { seen.add() } }
      if round % 4 != 0 { await cell.loopsParked(1) }
      let canceller = Task { loop.cancel() }
      cell.send(round)
      await loop.value
      await canceller.value
    }
    #expect(cell.observerCount == 0)
    #expect(seen.value >= stressed(15_000))
    await cell.parked(0)
  }

  @Test
  func `G12 loops receive every update while others are cancelled`() async {
    let cell = BindableActor(0)
    let survivors = (0..<4).map { _ in
      let stream = cell.values(backlog: .unbounded)
      return Task { await stream.elements() }
    }
    let rounds = stressed(500)
    for round in 1...rounds {
      let victims = (0..<4).map { _ in Task { for await _ in cell.values {} } }
      await concurrently(2) { task in
        if task == 0 { cell.send(round) } else { for victim in victims { victim.cancel() } }
      }
      for victim in victims { await victim.value }
    }
    cell.finish()
    for survivor in survivors { #expect(await survivor.value == Array(0...rounds)) }
    #expect(cell.observerCount == 0)
  }
}
