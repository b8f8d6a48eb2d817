import ActorBindings
import Testing

/// Turns that are bounded by time.
@Suite
struct SlowHandlerTests {
  private let cell = BindableActor(0)

  /// A context with its own clock, on which each call takes as long as the test says.
  private struct SlowContext: Sendable {
    let jobs = ManualContext()
    let time = Counter()
    let calls = Counter()

    var delivery: DeliveryContext {
      DeliveryContext(id: ObjectIdentifier(jobs), now: { [time] in UInt64(time.value) }) { [jobs] in
        jobs.add($0)
      }
    }

    func call(_ microseconds: Int) {
      calls.add()
      time.add(1_000 * microseconds)
    }

    /// Runs the next turn, and returns the number of calls in this turn.
    func turn() -> Int {
      let before = calls.value
      jobs.runOne()
      return calls.value - before
    }
  }

  @Test(arguments: [Backlog.unbounded, .bounded(10_000)])
  func `a slow handler with a long backlog lets other work on the context run after a few calls`(
    backlog: Backlog
  ) {
    let slow = SlowContext()
    let token = cell.observe(on: slow.delivery, backlog: backlog) { _ in slow.call(1_000) }
    (1...500).forEach(cell.send)
    var turns = 0
    while slow.jobs.pending > 0 {
      #expect(slow.turn() <= 4)
      turns += 1
    }
    #expect(slow.calls.value == 501)
    #expect(turns <= 300)
    token.cancel()
  }

  @Test
  func `a dead owner behind an operator that rejects everything is noticed beside a slow handler`() {
    let slow = SlowContext()
    let token = cell.observe(on: slow.delivery, backlog: .unbounded) { _ in slow.call(1_000) }
    (1...20).forEach(cell.send)
    while slow.jobs.pending > 0 { _ = slow.turn() }
    var owner: Mortal? = Mortal {}
    cell.filter { _ in false }.observe(owner!, on: slow.delivery) { _, _ in }
    while slow.jobs.pending > 0 { _ = slow.turn() }
    #expect(cell.observerCount == 2)
    owner = nil
    cell.send(21)
    while slow.jobs.pending > 0 { _ = slow.turn() }
    #expect(cell.observerCount == 1)
    token.cancel()
  }

  // Begins an observation whose handler is fast for 3,001 calls. From then on each call takes as many microseconds as
  // `duration` says: 1,000.
  private func observeWithHandlerThatBecomesSlow(_ slow: SlowContext, _ duration: Counter) -> BindingToken {
    let token = cell.observe(on: slow.delivery, backlog: .unbounded) { _ in slow.call(duration.value) }
    (1...3_000).forEach(cell.send)
    #expect(slow.turn() == 3_001)
    duration.set(1_000)
    return token
  }

  @Test
  func `a handler that has become slow is noticed, however few calls a turn makes`() {
    let slow = SlowContext()
    let duration = Counter(0)
    let token = observeWithHandlerThatBecomesSlow(slow, duration)
    for _ in 1...10 {
      (1...50).forEach(cell.send)
      while slow.jobs.pending > 0 { #expect(slow.turn() <= 4) }
    }
    token.cancel()
  }

  @Test
  func `a handler that has become slow is noticed within a visit`() {
    let slow = SlowContext()
    let duration = Counter(0)
    let token = observeWithHandlerThatBecomesSlow(slow, duration)
    (1...300).forEach(cell.send)
    #expect(slow.turn() <= 66)
    #expect(slow.turn() <= 4)
    // The lane also notices that the handler has become fast again.
    duration.set(0)
    while slow.jobs.pending > 0 { _ = slow.turn() }
    (1...3_000).forEach(cell.send)
    #expect(slow.turn() == 3_000)
    token.cancel()
  }

  @Test
  func `many slow observers are called in several turns, each as often as the others`() {
    let slow = SlowContext()
    let seen = (0..<50).map { _ in Recorder<Int>() }
    let tokens = seen.map { seen in
      cell.observe(on: slow.delivery) { value in
        slow.call(1_000)
        seen.record(value)
      }
    }
    var turns = 0
    while slow.jobs.pending > 0 {
      #expect(slow.turn() <= 4)
      turns += 1
      // A value that is sent within a pass goes first to the observations that the pass has yet to visit, and then to
      // the others.
      if turns == 5 { cell.send(1) }
    }
    #expect(seen.allSatisfy { $0.last == 1 })
    #expect(slow.calls.value < 75)
    tokens.forEach { $0.cancel() }
    #expect(cell.observerCount == 0)
  }

  @Test
  func `observations may begin and end while a pass is interrupted`() async {
    let slow = SlowContext()
    let seen = Recorder<Int>()
    func observe(_ name: Int) -> BindingToken {
      cell.observe(on: slow.delivery) { _ in
        slow.call(1_000)
        seen.record(name)
      }
    }
    var tokens = (0..<10).map(observe)
    let first = slow.turn()
    #expect(seen.elements == Array(0..<first))
    // Cancels the next observation, a later one, and the last one.
    for name in [first, first + 2, 9] { tokens[name].cancel() }
    tokens.append(observe(10))
    let settled = Task { await cell.settled() }
    await eventually { cell.isAwaited }
    tokens[first + 1].cancel()
    slow.jobs.run()
    await settled.value
    let gone: Set = [first, first + 1, first + 2, 9]
    #expect(seen.elements == (0...10).filter { !gone.contains($0) })
    tokens.forEach { $0.cancel() }
  }

  @Test
  func
    `all remaining observations end during an interruption: the lane parks, and continues with the next update`()
  {
    let slow = SlowContext()
    let first = cell.observe(on: slow.delivery) { _ in slow.call(3_000) }
    let others = (0..<6).map { _ in cell.observe(on: slow.delivery) { _ in slow.call(3_000) } }
    let called = slow.turn()
    others.forEach { $0.cancel() }
    slow.jobs.run()
    #expect(slow.calls.value == called)
    cell.send(1)
    slow.jobs.run()
    #expect(slow.calls.value == called + 1)
    first.cancel()
  }

  @Test
  func `a turn reads the clock after two calls, but after each call if time had run out`() {
    let slow = SlowContext()
    let token = cell.observe(on: slow.delivery, backlog: .unbounded) { _ in slow.call(3_000) }
    (1...10).forEach(cell.send)
    let turns = (1...3).map { _ in slow.turn() }
    #expect(turns == [4, 1, 1])
    slow.jobs.run()
    #expect(slow.calls.value == 11)
    token.cancel()
  }

  @Test
  func `slow handlers that receive the last value of a cell are called in several turns`() {
    let slow = SlowContext()
    let duration = Counter(0)
    let tokens = (0..<20).map { _ in
      cell.observe(on: slow.delivery) { _ in slow.call(duration.value) }
    }
    #expect(slow.turn() == 20)
    duration.set(1_000)
    cell.send(1)
    cell.finish()
    while slow.jobs.pending > 0 { #expect(slow.turn() <= 4) }
    #expect(slow.calls.value == 40)
    #expect(cell.observerCount == 0)
    withExtendedLifetime(tokens) {}
  }

  @Test
  func `the last observation is cancelled while a pass is interrupted, and the others are still called`() {
    let slow = SlowContext()
    let seen = Recorder<Int>()
    let tokens = (0..<10).map { name in
      cell.observe(on: slow.delivery) { _ in
        slow.call(1_000)
        seen.record(name)
      }
    }
    let first = slow.turn()
    #expect(first < 9)
    tokens[9].cancel()
    slow.jobs.run()
    #expect(seen.elements == Array(0..<9))
    withExtendedLifetime(tokens) {}
  }

  @Test
  func `settled waits for all observations of an interrupted pass`() async {
    let slow = SlowContext()
    let seen = (0..<6).map { _ in Recorder<Int>() }
    let tokens = seen.map { seen in
      cell.observe(on: slow.delivery) { value in
        slow.call(3_000)
        seen.record(value)
      }
    }
    #expect(slow.turn() < 6)
    cell.send(1)
    let settled = Task { await cell.settled() }
    await eventually { cell.isAwaited }
    while slow.jobs.pending > 0 {
      _ = slow.turn()
      #expect(cell.isAwaited || seen.allSatisfy { $0.last == 1 })
    }
    await settled.value
    tokens.forEach { $0.cancel() }
  }
}
