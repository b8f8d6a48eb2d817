import ActorBindings
import Testing

/// Tests the ends of owners, tokens, bags and cells against delivery.
@Suite
struct LifetimeStressTests {
  @Test
  func `G9 an owner's last release against delivery: it dies once, and no call comes after`() async {
    let cell = BindableActor(0)
    let stop = Flag()
    let writer = Task.detached {
      while !stop.isSet {
        for _ in 0..<100 { cell.modify { $0 += 1 } }
        await Task.yield()
      }
    }
    let station = Station()
    let (deaths, faults) = (Counter(), Counter())
    let rounds = stressed(5_000)
    await repeatedly(rounds) { _ in
      let isDead = Flag()
      let owner = Mortal {
        isDead.set()
        deaths.add()
      }
      cell.observe(owner, on: .queue(station.queue), backlog: .unbounded) { _, _ in
        if isDead.isSet || !station.isHere { faults.add() }
      }
    }
    stop.set()
    await writer.value
    await cell.settled()
    cell.send(0)
    await cell.settled()
    #expect(deaths.value == rounds)
    #expect(faults.value == 0)
    #expect(cell.observerCount == 0)
  }

  @Test
  func `G9 an actor's last release against delivery`() async {
    let cell = BindableActor(0)
    let census = Census()
    await concurrently(2) { task in
      guard task == 0 else { return await repeatedly(stressed(5_000)) { cell.send($0) } }
      for _ in 0..<stressed(1_000) {
        let worker = Worker()
        let citizen = census.citizen()
        cell.observe(with: worker, backlog: .unbounded) { worker, value in
          withExtendedLifetime(citizen) { worker.record(value) }
        }
        await Task.yield()
      }
    }
    // A job of the last update may hold its actor for a moment longer than `settled` waits.
    await eventually {
      cell.send(0)
      await cell.settled()
      return census.alive == 0
    }
    #expect(cell.observerCount == 0)
    #expect(census.total == stressed(1_000))
  }

  @Test
  func `G13 the last token's release against delivery: captures are released, counts add up`() async {
    let cell = BindableActor(0)
    let census = Census()
    let station = Station(isConcurrent: true)
    await concurrently(3) { task in
      await repeatedly(stressed(3_000)) { round in
        if task == 0 { return cell.send(round) }
        let citizen = census.citizen()
        _ = cell.observe(on: .queue(station.queue), backlog: task == 1 ? .unbounded : .bounded(3)) { _ in
          withExtendedLifetime(citizen) {}
        }
      }
    }
    await cell.settled()
    await eventually { census.alive == 0 }
    #expect(cell.observerCount == 0)
  }

  @Test
  func `G13 bag insert against bag dispose: every inserted observation ends`() async {
    let cell = BindableActor(0)
    for _ in 0..<stressed(1_000) {
      let bag = DisposeBag()
      let tokens = Recorder<BindingToken>()
      await concurrently(3) { task in
        for round in 0..<10 {
          if task == 0, round == 5 { bag.dispose() }
          guard task > 0 else { continue }
          let token = cell.observe(Mortal {}, on: .cell) { _, _ in }
          bag.insert(token)
          tokens.record(token)
        }
      }
      #expect(bag.isDisposed)
      let all = tokens.elements
      #expect(all.count == 20)
      #expect(all.allSatisfy { $0.isCancelled })
    }
    await cell.settled()
    #expect(cell.observerCount == 0)
  }

  @Test
  func `G11 finish against write: a reader that reads to the end sees the last value`() async {
    for round in 0..<stressed(500) {
      let cell = BindableActor(0)
      let seen = Recorder<Update<Int>>()
      let token = cell.versioned().observe(on: .queue(Station().queue), backlog: .unbounded) {
        seen.record($0)
      }
      let all = cell.updates(backlog: .unbounded)
      let loop = Task { await all.elements() }
      let latest = Task { await cell.updates().elements() }
      await concurrently(3) { task in
        for step in 0..<20 {
          if task == 0, step == round % 20 { cell.finish() }
          cell.modify { $0 += 1 }
        }
      }
      await cell.settled()
      let last = cell.version
      #expect(cell.value == Int(last))
      #expect(await loop.value.map(\.version) == Array(0...last))
      #expect(seen.elements.map(\.version) == Array(0...last))
      #expect(await latest.value.last?.version == last)
      #expect(!token.isCancelled)
      #expect(cell.observerCount == 0)
    }
  }

  @Test
  func `G11 the cell's deallocation against its readers`() async {
    for round in 0..<stressed(2_000) {
      let seen = Recorder<Int>()
      let loop: Task<[Int], Never>
      let tokens = DisposeBag()
      do {
        let cell = BindableActor(round)
        let stream = cell.values(backlog: .unbounded)
        loop = Task { await stream.elements() }
        cell.observe(on: .cell, backlog: .unbounded) { seen.record($0) }.store(in: tokens)
        if round % 2 == 0 { await Task.yield() }
        cell.send(round + 1)
      }
      #expect(await loop.value == [round, round + 1])
      await seen.reached(2)
      #expect(seen.elements == [round, round + 1])
    }
  }

  @Test
  func `G13 an actor that observes with self is freed each time, while the cell is written`() async {
    let cell = BindableActor(0)
    let deaths = Counter()

    actor Follower {
      let deaths: Counter
      var last = 0

      init(_ deaths: Counter) { self.deaths = deaths }

      func follow(_ cell: BindableActor<Int>) {
        cell.observe(self) { follower, value in
          follower.assumeIsolated { $0.last = value }
        }
      }

      deinit { deaths.add() }
    }

    await concurrently(2) { task in
      guard task == 0 else { return await repeatedly(stressed(5_000)) { cell.send($0) } }
      for _ in 0..<stressed(1_000) { await Follower(deaths).follow(cell) }
    }
    await eventually { deaths.value == stressed(1_000) }
    cell.send(0)
    await cell.settled()
    #expect(cell.observerCount == 0)
  }

  @Test
  func `G10 values whose payload calls back into the cell from its deinit`() async {
    struct Payload: Sendable {
      var number = 0
      var echoes = 0
      var mortal: Mortal?
    }

    let cell = BindableActor(Payload())
    let deaths = Counter()
    let all = cell.map(\.echoes).values(backlog: .unbounded)
    let loop = Task { await all.elements().last }
    let token = cell.observe(on: .queue(Station().queue), backlog: .bounded(4)) { _ in }
    let rounds = stressed(2_000)
    await concurrently(3) { task in
      await repeatedly(rounds) { round in
        let mortal = Mortal { [weak cell] in
          deaths.add()
          guard let cell else { return }
          _ = cell.value.number + cell.observerCount
          cell.modify { $0.echoes += 1 }
        }
        switch task {
        case 0: cell.modify { $0.mortal = mortal }
        case 1: cell.modify { $0.number += 1 }
        default:
          cell.modify { payload in
            payload.mortal = mortal
            payload.number += 1
          }
        }
      }
    }
    cell.modify { $0.mortal = nil }
    await cell.settled()
    #expect(cell.value.number == 2 * rounds)
    cell.finish()
    _ = await loop.value
    withExtendedLifetime(token) {}
    #expect(deaths.value == 3 * rounds)
  }
}
