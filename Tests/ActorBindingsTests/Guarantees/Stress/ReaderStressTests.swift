import ActorBindings
import Testing

/// Tests many readers, and readers that come and go.
@Suite
struct ReaderStressTests {
  @Test
  func `G6 subscribe against write: no gap at the start, nothing missed after the call`() async {
    let cell = BindableActor(0)
    let station = Station(isConcurrent: true)
    let violations = Counter()
    await concurrently(3) { task in
      guard task == 0 else { return await repeatedly(stressed(5_000)) { _ in cell.modify { $0 += 1 } } }
      for round in 0..<stressed(500) {
        let seen = Recorder<Update<Int>>()
        let before = cell.version
        let token = cell.versioned().observe(on: .queue(station.queue), backlog: .unbounded) {
          seen.record($0)
        }
        let stream = cell.updates(backlog: .unbounded)
        let after = cell.version
        cell.modify { $0 += 1 }
        let own = cell.version
        await cell.settled()
        await token.cancelAndWait()
        var streamed: [Update<Int>] = []
        for await update in stream {
          streamed.append(update)
          if update.version >= own { break }
        }
        for updates in [seen.elements, streamed] {
          let versions = updates.map(\.version)
          guard let first = versions.first, let last = versions.last else {
            violations.add()
            continue
          }
          if first < before || first > after || last < own { violations.add() }
          if versions != Array(first...last) || !updates[0].isInitial { violations.add() }
          if updates.contains(where: { $0.value != Int($0.version) }) { violations.add() }
        }
        if round % 100 == 99 { await Task.yield() }
      }
    }
    #expect(violations.value == 0)
    #expect(cell.observerCount == 0)
  }

  @Test
  func `G12 a reader that joins and leaves for ever leaves nothing behind`() async {
    let census = Census()
    let cell = BindableActor(census.citizen())
    let stop = Flag()
    let writer = Task.detached {
      while !stop.isSet {
        for number in 0..<20 { cell.send(census.citizen(number)) }
        await Task.yield()
      }
    }
    let steady = Task { for await _ in cell.values(backlog: .bounded(8)) {} }
    let backlogs: [Backlog] = [.latest, .bounded(2), .bounded(50), .unbounded]
    for round in 0..<stressed(4_000) {
      var remaining = round % 5
      for await _ in cell.values(backlog: backlogs[round % 4]) {
        if remaining == 0 { break }
        remaining -= 1
      }
    }
    stop.set()
    await writer.value
    await cell.parked(1)
    #expect(cell.observerCount == 1)
    #expect(census.alive == 1)
    cell.finish()
    await steady.value
  }

  @Test
  func `G1 a million increments from 8 tasks are exact, and an unbounded reader sees each, in order`() async {
    let cell = BindableActor(0)
    let all = cell.updates(backlog: .unbounded)
    let reader = Task.detached {
      var seen: UInt64 = 0
      var isInOrder = true
      for await update in all {
        if update.version != seen || update.value != Int(seen) || update.skipped != 0 { isInOrder = false }
        seen += 1
      }
      return isInOrder ? seen : 0
    }
    await concurrently(8) { _ in
      await repeatedly(125_000) { _ in cell.modify { $0 += 1 } }
    }
    #expect(cell.value == 1_000_000)
    #expect(cell.version == 1_000_000)
    cell.finish()
    #expect(await reader.value == 1_000_001)
  }

  @Test
  func `G3 a fast and a slow iterator both end on the last value`() async {
    for backlog in [Backlog.latest, .bounded(3), .unbounded] {
      let cell = BindableActor(0)
      let count = 20_000
      let fast = Task { await cell.values(backlog: backlog).elements().last }
      let slow = Task {
        var last = 0
        for await value in cell.values(backlog: backlog) {
          last = value
          if backlog != .unbounded || value % 100 == 0 { for _ in 0..<10 { await Task.yield() } }
        }
        return last
      }
      await repeatedly(count) { cell.send($0 + 1) }
      cell.finish()
      #expect(await fast.value == count)
      #expect(await slow.value == count)
    }
  }

  @Test
  func `G3 a thousand loops on one cell end on the last value, and on finish`() async {
    let cell = BindableActor(0)
    let lasts = Recorder<Int>()
    let loops = (0..<1_000).map { _ in
      Task {
        var last = -1
        for await value in cell.values {
          // Keeps the value, or `.min` if it is not greater than the previous value.
          last = value > last ? value : .min
          if value == 1_000 { lasts.record(last) }
        }
        return last
      }
    }
    await repeatedly(1_000) { cell.send($0 + 1) }
    await lasts.reached(1_000)
    await cell.parked(1_000)
    #expect(cell.observerCount == 1_000)
    cell.finish()
    for loop in loops { #expect(await loop.value == 1_000) }
    #expect(lasts.count == 1_000)
    #expect(cell.observerCount == 0)
  }

  @Test
  func `G10 two cells that write each other come to rest on the same value`() async {
    for _ in 0..<stressed(50) {
      let (left, right) = (BindableActor(0), BindableActor(0))
      let tokens = [
        left.observe(on: .queue(Station().queue)) { right.sendIfChanged(min($0 + 1, 200)) },
        right.observe(on: .cell) { left.sendIfChanged(min($0 + 1, 200)) },
      ]
      await eventually { left.value == 200 && right.value == 200 }
      await left.settled()
      await right.settled()
      #expect(left.value == 200)
      #expect(right.value == 200)
      withExtendedLifetime(tokens) {}
    }
  }

  @Test
  func `G10 two cells that write each other on a context that runs at once do not recurse`() {
    let (left, right) = (BindableActor(0), BindableActor(0))
    let context = ManualContext()
    let depth = Counter()
    let deepest = Counter()
    func feed(_ target: BindableActor<Int>) -> @Sendable (Int) -> Void {
      { value in
        deepest.set(max(deepest.value, depth.add()))
        if value < 10_000 { target.send(value + 1) }
        depth.add(-1)
      }
    }
    let tokens = [
      left.observe(on: context.delivery, feed(right)),
      right.observe(on: context.delivery, feed(left)),
    ]
    context.run()
    #expect(max(left.value, right.value) == 10_000)
    #expect(deepest.value == 1)
    withExtendedLifetime(tokens) {}
  }

  @Test
  func `G15 removing one of a hundred thousand observers costs no more than one of a thousand`() {
    func cost(of count: Int) -> Duration {
      let cell = BindableActor(0)
      let context = ManualContext()
      var tokens = (0..<count).map { _ in cell.observe(on: context.delivery) { _ in } }
      context.run()
      // Removes observers from the front, the back and in between.
      let step = count / 250
      let victims = (0..<250).map { tokens[$0 * step] } + tokens.suffix(5)
      let clock = ContinuousClock()
      let best = (0..<5).map { part in
        clock.measure { for victim in victims[part * 51..<part * 51 + 51] { victim.cancel() } }
      }.min()!
      #expect(cell.observerCount == count - Set(victims.map { ObjectIdentifier($0) }).count)
      tokens = []
      return best
    }

    // If a cancellation searched for its observation, it would take a hundred times as long.
    let (few, many) = (cost(of: 1_000), cost(of: 100_000))
    #expect(many < few * 20)
  }

  @Test
  func `G2 observers that come and go on a shared lane never see a version fall`() async {
    let cell = BindableActor(0)
    let station = Station(isConcurrent: true)
    let violations = Counter()
    let steady = Recorder<Int>()
    let token = cell.observe(on: .queue(station.queue), backlog: .unbounded) { steady.record($0) }
    await concurrently(3) { task in
      await repeatedly(stressed(3_000)) { round in
        if task == 0 {
          cell.modify { $0 += 1 }
        } else {
          let last = Counter(-1)
          let token = cell.observe(on: .queue(station.queue), backlog: .bounded(1 + round % 3)) { value in
            if value <= last.value { violations.add() }
            last.set(value)
          }
          if round % 2 == 0 { cell.modify { $0 += 1 } }
          token.cancel()
        }
      }
    }
    await cell.settled()
    #expect(violations.value == 0)
    #expect(steady.elements == Array(0...cell.value))
    #expect(cell.observerCount == 1)
    withExtendedLifetime(token) {}
  }
}
