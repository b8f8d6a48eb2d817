import ActorBindings
import Testing

/// `update`: those who live on the cell have been called when it returns.
@Suite
struct UpdateTests {
  private let cell = BindableActor(0)
  private let seen = Recorder<Int>()

  @Test
  func `observers on the cell were called when it returns, their first call included`() async {
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
  func `of an update after another, an unbounded observer on the cell sees all`() async {
    let token = cell.observe(on: .cell, backlog: .unbounded) { [seen] in seen.record($0) }
    for value in 1...100 {
      await cell.update(value)
      #expect(seen.last == value)
    }
    #expect(seen.elements == Array(0...100))
    token.cancel()
  }

  @Test
  func `so it is for one that lags by thousands`() async {
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
  func `so it is for one whose turn on the actor is still to come, and it comes to nothing`() async {
    let token = cell.observe(on: .cell, backlog: .unbounded) { [seen] in seen.record($0) }
    await cell.settled()
    await cell.alone { cell in
      (1...500).forEach(cell.send)
      cell.update(501)
      #expect(seen.elements == Array(0...501))
    }
    // Behind the turn: a task like the one that is to make it.
    await Task.detached { [cell] in await cell.alone { _ in } }.value
    #expect(cell.cell.locked { $0.idle.members.count } == 1)
    await cell.update(502)
    #expect(seen.count == 503)
    token.cancel()
  }

  @Test
  func `inside a handler it returns before, and the round that is running goes on with it`() async {
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
  func `a body that throws changes nothing, and tells nobody`() async {
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
  func `of a finished cell it does nothing, and returns what its body does`() async {
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
  func `several at once, and writes from elsewhere: each returns when its own was handed out`() async {
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
  func `a delivery on the cell that is due keeps it until it is done`() async {
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
  func `while it writes nobody else wakes those who live on the cell`() async {
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
  func `so it is when an observation elsewhere has ended meanwhile`() async {
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
  func `it waits for no other context`() async {
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
  /// Has the actor to itself.
  fileprivate func alone(_ body: @Sendable (isolated BindableActor<Value>) -> Void) {
    body(self)
  }
}
