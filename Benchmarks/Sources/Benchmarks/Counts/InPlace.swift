import ActorBindings

/// Counts of allocations of handlers that are called where the writer is. Most count what the writer's thread
/// allocates. Switches and pauses also count other threads, on which their operators may run.
enum InPlace {
  static let counts = [
    Count("allocations.read", "a read of the current value") {
      let cell = BindableActor(1)
      var sum = 0
      let found = allocations(per: 1000) {
        for _ in 0..<1000 { sum += cell.value }
      }
      try expect(sum, equals: 1000, "the sum of the values")
      return found
    },
    Count("allocations.inPlace.latest", "a value to one observer, in place") {
      let cell = BindableActor(-1)
      return try delivered {
        [cell.observe(on: here, $0.handler)]
      } send: {
        cell.send($0)
      }
    },
    Count("allocations.inPlace.unbounded", "a value to one .unbounded observer, in place") {
      let cell = BindableActor(-1)
      return try delivered {
        [cell.observe(on: here, backlog: .unbounded, $0.handler)]
      } send: {
        cell.send($0)
      }
    },
    Count("allocations.inPlace.operators", "a value through map.filter.map, in place") {
      let cell = BindableActor(-1)
      let chain = cell.map { $0 &+ 1 }.filter { $0 >= 0 }.map { $0 &- 1 }
      return try delivered {
        [chain.observe(on: here, $0.handler)]
      } send: {
        cell.send($0)
      }
    },
    Count("allocations.inPlace.events", "an event through map.filter.map, in place") {
      let source = EventSource<Int>()
      let chain = source.map { $0 &+ 1 }.filter { $0 >= 0 }.map { $0 &- 1 }
      return try delivered {
        [chain.observe(on: here, backlog: .unbounded, $0.handler)]
      } send: {
        source.send($0)
      }
    },
    Count("allocations.inPlace.combine.4", "a value of one of four cells that are combined, in place") {
      let cells = (0..<4).map { _ in BindableActor(-1) }
      return try delivered { tally in
        [
          combineLatest(cells[0], cells[1], cells[2], cells[3]).observe(on: here) {
            tally.receive(max(max($0, $1), max($2, $3)))
          }
        ]
      } send: {
        cells[$0 % 4].send($0)
      }
    },
    Count(
      "allocations.inPlace.transaction",
      "a transaction over two cells, with an observer of both, in place"
    ) {
      let (a, b) = (BindableActor(-1), BindableActor(0))
      return try delivered { tally in
        [combineLatest(a, b).observe(on: here) { left, _ in tally.receive(left) }]
      } send: { i in
        BindingTransaction.run { transaction in
          transaction[a] = i
          transaction[b] = -i
        }
      }
    },
    Count("allocations.inPlace.subscribe", "an observer that comes and goes, in place") {
      let (cell, context) = (BindableActor(-1), here)
      return allocations(per: 1000) {
        for _ in 0..<1000 { cell.observe(on: context) { _ in }.cancel() }
      }
    },
    Count("allocations.inPlace.edit", "an edit of an array of 1,000, told in place") {
      let (board, tally) = (BindableArray(0..<1000), Tally(until: -2))
      let token = board.changes.observe(on: here) { tally.receive($0.edits?.count ?? 0) }
      let found = allocations(per: 1000) {
        for i in 0..<1000 { board.update(-i, at: i &* 61_803 % 1000) }
      }
      try expect(tally.sum, equals: 1000, "edits")
      token.cancel()
      return (found * 100).rounded() / 100
    },
    Count(
      "allocations.inPlace.switching",
      "a switch to another source, until its value is delivered, in place"
    ) {
      try switched(each: 1)
    },
    Count(
      "allocations.inPlace.switched",
      "a value of the newest source, in place, with a switch each 500 values"
    ) {
      try switched(each: 500)
    },
    Count("allocations.debounce.pending", "a value of a hundred while a quiet time runs") {
      let (cell, clock) = (BindableActor(-1), ManualClock())
      var values = cell.debounce(for: .seconds(1), clock: clock).values.makeAsyncIterator()
      await cell.settled()
      return await allocationsEverywhere(per: 1000) {
        for round in 0..<10 {
          for i in 0..<100 { cell.send(100 * round + i) }
          await cell.settled()
          clock.advance(by: .seconds(1))
          while let value = await values.next(), value != 100 * round + 99 {}
        }
      }
    },
    Count("allocations.owner.bag", "an owner with a bag and an observer, from its birth to its death") {
      let (cell, context) = (BindableActor(0), PumpedContext())
      let on = context.context
      let kept = cell.observe(on: on) { _ in }
      context.run()
      let found = allocations(per: 1000) {
        for _ in 0..<1000 {
          let bag = DisposeBag()
          cell.observe(on: on) { _ in }.store(in: bag)
          context.run()
          bag.dispose()
          context.run()
        }
      }
      try expect(cell.observerCount, equals: 1, "observers that are left")
      kept.cancel()
      return found
    },
    Count("allocations.owner.dead", "an owner that is found dead by the next value, in place") {
      final class Owner: Sendable {}
      let cell = BindableActor(0)
      var owners = (0..<1000).map { _ in Owner() }
      for owner in owners { cell.observe(owner, on: here) { _, _ in } }
      owners.removeAll()
      let found = allocations(per: 1000) { cell.send(1) }
      try expect(cell.observerCount, equals: 0, "observers that are left")
      return found
    },
  ]

  private static let here = DeliveryContext.immediate

  // Counts for a thousand values, each of which is delivered when its send returns.
  private static func delivered(
    _ observe: (Tally) -> [BindingToken],
    send: (Int) -> Void
  ) throws -> Double {
    let tally = Tally(until: 999)
    let tokens = observe(tally)
    let found = allocations(per: 1000) {
      for i in 0..<1000 { send(i) }
    }
    try tally.expectAll(1000)
    tokens.forEach { $0.cancel() }
    return found
  }

  private static func switched(each length: Int) throws -> Double {
    let relay = Relaying.InPlace()
    defer { relay.token.cancel() }
    relay.send(0..<1000, switchingEach: length)
    let found = allocationsEverywhere(per: 10_000) { relay.send(1000..<11_000, switchingEach: length) }
    try expect(relay.newest.count, equals: 11_000, "values delivered")
    return found
  }
}
