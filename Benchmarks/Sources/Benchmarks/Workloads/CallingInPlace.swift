import ActorBindings
import Reporting

/// W21: handlers that are called where the writer is: on its thread, before the write returns.
enum CallingInPlace {
  static let workloads =
    [one, all, many(1000), operators, events, transaction, subscribed] + [2, 4].map(combined)

  private static let here = DeliveryContext.immediate

  // Sends 0 to `n - 1`, and expects that each has been delivered when its send returns.
  static func deliver(
    _ n: Int,
    handlers: Int = 1,
    _ observe: (Tally) -> [BindingToken],
    send: (Int) -> Void
  ) throws -> Sample {
    let tally = Tally(until: n - 1, handlers: handlers)
    let tokens = observe(tally)
    let sample = timed {
      for i in 0..<n { send(i) }
    }
    try tally.expectAll(n, handlers: handlers)
    tokens.forEach { $0.cancel() }
    return sample
  }

  static func byHand(_ n: Int, handlers: Int = 1, _ list: LockedClosures) throws -> Sample {
    let tally = Tally(until: n - 1, handlers: handlers)
    for _ in 0..<handlers { list.add(tally.handler) }
    let sample = timed {
      for i in 0..<n { list.send(i) }
    }
    try tally.expectAll(n, handlers: handlers)
    return sample
  }

  // MARK: Observers of one cell

  private static let one = Workload(
    "W21.one",
    "The newest value to one observer, in place",
    per: "value",
    comparedTo: "closure under a Mutex",
    [
      .ours("observe", 500_000) { n in
        let cell = BindableActor(-1)
        return try deliver(n) {
          [cell.observe(on: here, $0.handler)]
        } send: {
          cell.send($0)
        }
      },
      .baseline("actor of closures", 500_000) { n in
        let (actor, tally) = (ClosureActor(), Tally(until: n - 1))
        await actor.add(tally.handler)
        let stopwatch = Stopwatch()
        for i in 0..<n { await actor.send(i) }
        let sample = stopwatch.sample
        try tally.expectAll(n)
        return sample
      },
      .ours("observe, custom context", 500_000) { n in
        let cell = BindableActor(-1)
        let context = DeliveryContext(id: "here") { $0() }
        return try deliver(n) {
          [cell.observe(on: context, $0.handler)]
        } send: {
          cell.send($0)
        }
      },
      .baseline("closure under a Mutex", 2_000_000) { n in try byHand(n, LockedClosures()) },
    ]
  )

  private static let all = Workload(
    "W21.all",
    "Every value to one observer, in place",
    per: "value",
    comparedTo: "closure under a Mutex",
    [
      .ours("observe(.unbounded)", 500_000) { n in
        let cell = BindableActor(-1)
        return try deliver(n) {
          [cell.observe(on: here, backlog: .unbounded, $0.handler)]
        } send: {
          cell.send($0)
        }
      },
      .baseline("closure under a Mutex", 2_000_000) { n in try byHand(n, LockedClosures()) },
    ]
  )

  static func many(_ observers: Int) -> Workload {
    let values = min(400_000, 4_000_000 / observers)
    return Workload(
      "W21.\(observers)",
      "Every value to \(grouped(observers)) observers, in place",
      per: "delivery",
      fan: observers,
      comparedTo: "closures under a Mutex",
      [
        .ours("observe", values) { n in
          let cell = BindableActor(-1)
          return try deliver(n, handlers: observers) { tally in
            (0..<observers).map { _ in cell.observe(on: here, tally.handler) }
          } send: {
            cell.send($0)
          }
        },
        .baseline("closures under a Mutex", values) { n in
          try byHand(n, handlers: observers, LockedClosures())
        },
      ]
    )
  }

  // MARK: Operators

  private static let operators = Workload(
    "W21.operators",
    "map, filter, map: observed in place",
    per: "value",
    comparedTo: "by hand, under a Mutex",
    [
      .ours("map.filter.map", 500_000) { n in
        let cell = BindableActor(-1)
        let chain = cell.map { $0 &+ 1 }.filter { $0 >= 0 }.map { $0 &- 1 }
        return try deliver(n) {
          [chain.observe(on: here, $0.handler)]
        } send: {
          cell.send($0)
        }
      },
      .baseline("by hand, under a Mutex", 2_000_000) { n in try chainByHand(n) },
    ]
  )

  private static let events = Workload(
    "W21.events",
    "Every event through map, filter, map: observed in place",
    per: "event",
    comparedTo: "by hand, under a Mutex",
    [
      .ours("EventSource.map.filter.map", 500_000) { n in
        let source = EventSource<Int>()
        let chain = source.map { $0 &+ 1 }.filter { $0 >= 0 }.map { $0 &- 1 }
        return try deliver(n) {
          [chain.observe(on: here, backlog: .unbounded, $0.handler)]
        } send: {
          source.send($0)
        }
      },
      .baseline("by hand, under a Mutex", 2_000_000) { n in try chainByHand(n) },
    ]
  )

  private static func chainByHand(_ n: Int) throws -> Sample {
    let tally = Tally(until: n - 1)
    let list = LockedClosures()
    let handler = tally.handler
    list.add { value in
      let next = value &+ 1
      if next >= 0 { handler(next &- 1) }
    }
    let sample = timed {
      for i in 0..<n { list.send(i) }
    }
    try tally.expectAll(n)
    return sample
  }

  // MARK: Several cells

  private static func combined(_ count: Int) -> Workload {
    Workload(
      "W21.combine.\(count)",
      "The newest of \(count) cells, in place",
      per: "value",
      comparedTo: "closure under a Mutex",
      [
        .ours("combineLatest", 100_000) { n in
          let cells = (0..<count).map { _ in BindableActor(-1) }
          // The writes take turns and rise, so the greatest value was written last.
          return try deliver(n) { tally in
            count == 2
              ? [combineLatest(cells[0], cells[1]).observe(on: here) { tally.receive(max($0, $1)) }]
              : [
                combineLatest(cells[0], cells[1], cells[2], cells[3]).observe(on: here) {
                  tally.receive(max(max($0, $1), max($2, $3)))
                }
              ]
          } send: {
            cells[$0 % count].send($0)
          }
        },
        .baseline("closure under a Mutex", 2_000_000) { n in
          try count == 2 ? Combining.byHand(n) : listByHand(n, count)
        },
      ]
    )
  }

  /// One of several values after another, to a closure that is called with all of them.
  static func listByHand(_ n: Int, _ count: Int) throws -> Sample {
    let tally = Tally(until: n - 1)
    let list = LockedList(count) { values in tally.receive(values.max() ?? -1) }
    let sample = timed {
      for i in 0..<n { list.send(i, to: i % count) }
    }
    try tally.expectAll(n)
    return sample
  }

  private static let transaction = Workload(
    "W21.transaction",
    "A transaction over two cells, until an observer of both has it, in place",
    per: "transaction",
    comparedTo: "closure under a Mutex",
    [
      .ours("transaction", 100_000) { n in
        let (a, b) = (BindableActor(-1), BindableActor(0))
        return try deliver(n) { tally in
          [combineLatest(a, b).observe(on: here) { left, _ in tally.receive(left) }]
        } send: { i in
          BindingTransaction.run { transaction in
            transaction[a] = i
            transaction[b] = -i
          }
        }
      },
      .baseline("closure under a Mutex", 2_000_000) { n in try byHand(n, LockedClosures()) },
    ]
  )

  // MARK: Coming and going

  private static let subscribed = Workload(
    "W21.subscribe",
    "Observe and cancel, in place",
    per: "pair",
    comparedTo: "dictionary under a Mutex",
    [
      .ours("observe, cancel", 200_000) { n in
        let cell = BindableActor(0)
        let context = here
        let sample = timed {
          for _ in 0..<n { cell.observe(on: context) { _ in }.cancel() }
        }
        try expect(cell.observerCount, equals: 0, "observers that are left")
        return sample
      },
      .baseline("dictionary under a Mutex", 200_000) { n in
        let registry = Registry()
        let sample = timed {
          for _ in 0..<n { registry.cancel(registry.subscribe { _ in }) }
        }
        try expect(registry.count, equals: 0, "observers that are left")
        return sample
      },
      .baseline("AsyncStream made, finished", 100_000) { n in
        timed {
          for _ in 0..<n { AsyncStream.makeStream(of: Int.self).continuation.finish() }
        }
      },
    ]
  )
}
