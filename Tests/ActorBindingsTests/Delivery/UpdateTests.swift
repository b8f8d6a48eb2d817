import ActorBindings
import Testing

/// Tests that `update` returns after the observers on the cell have been called.
@Suite
struct UpdateTests {
  private let cell = BindableActor(0)
  private let seen = Recorder<Int>()

  @Test
  func `observers on the cell have been called when update returns, including first calls`() async {
    let token = cell.observe(on: .cell) { [seen] in seen.record($0) }
    await cell.update(1)
    #expect(seen.last == 1)
    #expect(
      await cell.update {
        $0 += 1; return $0
      } == 2
    )
    #expect(seen.last == 2)
    token.cancel()
  }

  @Test
  func `an unbounded observer on the cell sees each of several updates`() async {
    let token = cell.observe(on: .cell, backlog: .unbounded) { [seen] in seen.record($0) }
    for value in 1...100 {
      await cell.update(value)
      #expect(seen.last == value)
    }
    #expect(seen.elements == Array(0...100))
    token.cancel()
  }

  @Test
  func `update returns after an observer that lags by thousands has seen it`() async {
    let token = cell.observe(on: .cell, backlog: .unbounded) { [unowned cell, seen] value in
      if value == 0 { (1...20_000).forEach(cell.send) }
      seen.record(value)
    }
    await seen.reached(1)
    await cell.update(20_001)
    #expect(seen.elements == Array(0...20_001))
    token.cancel()
  }

  @Test
  func `update serves an observer whose scheduled turn then does nothing`() async {
    let token = cell.observe(on: .cell, backlog: .unbounded) { [seen] in seen.record($0) }
    await cell.settled()
    await cell.alone { cell in
      (1...500).forEach(cell.send)
      cell.update(501)
      #expect(seen.elements == Array(0...501))
    }
    // Returns after the scheduled turn: this task is of the same kind, and is behind the turn in the queue.
    await Task.detached { [cell] in await cell.alone { _ in } }.value
    #expect(cell.cell.locked { $0.idle.members.count } == 1)
    await cell.update(502)
    #expect(seen.count == 503)
    token.cancel()
  }

  @Test
  func `inside a handler update returns at once, and the current turn continues with it`() async {
    let order = Recorder<String>()
    let tokens = ["a", "b"].map { name in
      cell.observe(on: .cell) { [unowned cell] value in
        order.record("\(name)\(value)")
        guard name == "a", value == 1 else { return }
        cell.assumeIsolated { $0.update(2) }
        order.record("returned")
      }
    }
    await cell.settled()
    await cell.update(1)
    await cell.settled()
    #expect(order.elements == ["a0", "b0", "a1", "returned", "b1", "a2", "b2"])
    withExtendedLifetime(tokens) {}
  }

  @Test
  func `update in a handler on the writer's thread returns after the observers on the cell`() async {
    let seenByHandler = Recorder<Int>()
    let token = cell.observe(on: .cell, backlog: .unbounded) { [seen] in seen.record($0) }
    let other = cell.observe(on: .immediate) { [unowned cell, seen] value in
      guard value == 1 else { return }
      cell.assumeIsolated { $0.update(10) }
      seenByHandler.record(seen.last ?? -1)
    }
    await cell.update(1)
    #expect(seenByHandler.elements == [10])
    #expect(seen.elements == [0, 1, 10])
    token.cancel()
    other.cancel()
  }

  @Test
  func `a body that throws changes nothing, and no observer is called`() async {
    struct Refused: Error {}
    let token = cell.observe(on: .cell) { [seen] in seen.record($0) }
    await cell.settled()
    await #expect(throws: Refused.self) {
      try await cell.update { value throws(Refused) in
        value = 9
        throw Refused()
      }
    }
    #expect(cell.value == 0)
    #expect(cell.version == 0)
    await cell.update(1)
    #expect(seen.elements == [0, 1])
    token.cancel()
  }

  @Test
  func `update of a finished cell changes nothing, and returns what its body returns`() async {
    let token = cell.observe(on: .cell) { [seen] in seen.record($0) }
    await cell.settled()
    cell.finish()
    await cell.update(1)
    #expect(
      await cell.update {
        $0 += 5; return $0
      } == 5
    )
    #expect(cell.value == 0)
    #expect(seen.elements == [0])
    #expect(cell.observerCount == 0)
    #expect(!token.isCancelled)
  }

  @Test
  func `several updates at once beside other writes: each returns when its own value was delivered`() async {
    let (cell, seen) = (cell, seen)
    let token = cell.observe(on: .cell, backlog: .unbounded) { seen.record($0) }
    await concurrently(4) { index in
      for round in 0..<200 {
        let value = 1_000 * (index + 1) + round
        if index % 2 == 0 {
          cell.send(value)
        } else {
          await cell.update(value)
          #expect(seen.elements.contains(value))
        }
      }
    }
    await cell.settled()
    #expect(seen.count == 801)
    token.cancel()
  }

  @Test
  func `a scheduled delivery on the cell keeps the cell until it is done`() async {
    weak var gone: BindableActor<Int>?
    let token: BindingToken
    do {
      let cell = BindableActor(0)
      gone = cell
      token = cell.observe(on: .cell) { [seen] in seen.record($0) }
      cell.send(1)
    }
    await seen.reached(1)
    await eventually { gone == nil }
    #expect(seen.last == 1)
    #expect(!token.isCancelled)
  }

  @Test
  func `while update writes, no other writer wakes the observers on the cell`() async {
    let token = cell.observe(on: .cell) { [seen] in seen.record($0) }
    await cell.parked(1)
    let lane = cell.cell.holdHostLane()
    #expect(lane != nil)
    #expect(cell.cell.locked { $0.idle.members.isEmpty })
    await cell.update(1)
    #expect(seen.elements == [0, 1])
    #expect(cell.cell.locked { $0.idle.members.count } == 1)
    token.cancel()
  }

  @Test
  func
    `while update writes, an observation that ends elsewhere lets no other writer wake the observers on the cell`()
    async
  {
    let context = ManualContext()
    let token = cell.observe(on: .cell) { [seen] in seen.record($0) }
    await cell.settled()
    let other = cell.observe(on: context.delivery) { _ in }
    context.run()
    other.cancel()
    #expect(cell.cell.locked { $0.hostLane != nil })
    await cell.update(1)
    #expect(seen.last == 1)
    token.cancel()
    await cell.update(2)
    #expect(cell.cell.locked { $0.hostLane == nil })
  }

  @Test
  func `update waits for no other context`() async {
    let context = ManualContext()
    let token = cell.observe(on: context.delivery) { [seen] in seen.record($0) }
    await cell.update(1)
    #expect(seen.count == 0)
    context.run()
    #expect(seen.elements == [1])
    token.cancel()
  }
}

extension BindableActor {
  /// Keeps the actor busy while `body` runs.
  fileprivate func alone(_ body: @Sendable (isolated BindableActor<Value>) -> Void) {
    body(self)
  }
}
