import ActorBindings

/// W16: cells, objects and two-way bindings that follow a cell; reading through a read-only view, and waiting for a
/// value.
enum Linking {
  static let workloads = [derived, bound, target, twoWay, readOnly, first]

  // MARK: Derived cells

  private static let readers = 100

  private static let derived = Workload(
    "W16.derived",
    "A change until \(readers) observers have the result of an expensive map",
    per: "change",
    comparedTo: "the map, for each",
    [
      .ours("the map, for each", 400) { n in
        let cell = BindableActor(-1)
        return try await hand(n, to: cell.map(expensive)) { cell.send($0) }
      },
      .ours("BindableActor(of:)", 4_000) { n in
        let cell = BindableActor(-1)
        return try await hand(n, to: BindableActor(of: cell.map(expensive))) { value in
          cell.send(value)
          // The derived cell is written on its own isolation.
          await cell.settled()
        }
      },
      .baseline("closures under a Mutex", 4_000) { n in
        let tally = Tally(until: -2)
        let closures = LockedClosures()
        for _ in 0..<readers { closures.add(tally.handler) }
        let sample = timed {
          for i in 0..<n { closures.send(expensive(i)) }
        }
        try expectAll(n, tally)
        return sample
      },
    ]
  )

  // Takes more than half a microsecond.
  @inline(never)
  @Sendable private static func expensive(_ value: Int) -> Int {
    var hash = value
    for _ in 0..<500 {
      hash ^= hash >> 29
      hash = hash &* 6_364_136_223_846_793_005
    }
    return hash & 0xffff
  }

  private static func hand(
    _ n: Int,
    to source: some BindingSource<Int>,
    _ change: (Int) async -> Void
  ) async throws -> Sample {
    let (tally, context) = (Tally(until: -2), PumpedContext())
    let tokens = (0..<readers).map { _ in source.observe(on: context.context, tally.handler) }
    context.run()
    let (count, sum) = (tally.count, tally.sum)
    let stopwatch = Stopwatch()
    for i in 0..<n {
      await change(i)
      context.run()
    }
    let sample = stopwatch.sample
    withExtendedLifetime(tokens) {}
    try expectAll(n, tally, besides: (count, sum))
    return sample
  }

  private static func expectAll(
    _ n: Int,
    _ tally: Tally,
    besides initial: (count: Int, sum: Int) = (0, 0)
  ) throws {
    try expect(tally.count - initial.count, equals: n * readers, "values delivered")
    let sum = (0..<n).reduce(0) { $0 + expensive($1) }
    try expect(tally.sum - initial.sum, equals: sum * readers, "the sum of the values")
  }

  // MARK: One way

  private static let bound = Workload(
    "W16.bind",
    "A value of one cell, until the other one, which is bound to it, has it",
    per: "value",
    comparedTo: "an observer that sends",
    [
      .ours("bind(to:)", 10_000) { n in try await carry(n) { $0.bind(to: $1) } },
      .baseline("an observer that sends", 10_000) { n in
        try await carry(n) { a, b in a.observe(on: .cell) { [weak b] in b?.send($0) } }
      },
      // The writer calls the closure. Two writers at once may leave the older value in the other cell.
      .baseline("a closure that stores", 1_000_000) { n in
        let (a, b) = (ClosureList(), LockedInt())
        a.add { [weak b] in b?.store($0) }
        var right = 0
        let sample = timed {
          for i in 0..<n {
            a.send(i)
            if b.value == i { right += 1 }
          }
        }
        try expect(right, equals: n, "values that arrived")
        return sample
      },
    ]
  )

  private static func carry(
    _ n: Int,
    _ bind: (BindableActor<Int>, BindableActor<Int>) -> BindingToken
  ) async throws -> Sample {
    let (a, b) = (BindableActor(-1), BindableActor(-1))
    let token = bind(a, b)
    await a.settled()
    var right = 0
    let stopwatch = Stopwatch()
    for i in 0..<n {
      a.send(i)
      await a.settled()
      if b.value == i { right += 1 }
    }
    let sample = stopwatch.sample
    try expect(right, equals: n, "values that arrived")
    token.cancel()
    return sample
  }

  private static let target = Workload(
    "W16.target",
    "Every value to an object: a burst of writes, delivered after the last",
    per: "value",
    comparedTo: "an observer with an owner",
    [
      .ours("bind(to:)", 200_000) { n in
        try feed(n) { $0.bind(to: $1, on: $2, backlog: .unbounded) }
      },
      .ours("an observer with an owner", 200_000) { n in
        try feed(n) { $0.observe($1, on: $2, backlog: .unbounded) { $0.receive($1) } }
      },
      // The writer calls the closure.
      .baseline("a closure, held weakly", 2_000_000) { n in
        let (closures, tally) = (LockedClosures(), Tally(until: n - 1))
        closures.add { [weak tally] in tally?.receive($0) }
        let sample = timed {
          for i in 0..<n { closures.send(i) }
        }
        try tally.expectAll(n)
        return sample
      },
    ]
  )

  private static func feed(
    _ n: Int,
    _ bind: (BindableActor<Int>, Tally, DeliveryContext) -> BindingToken
  ) throws -> Sample {
    let (cell, tally, context) = (BindableActor(-1), Tally(until: n - 1), PumpedContext())
    let token = bind(cell, tally, context.context)
    context.run()
    let sample = timed {
      for i in 0..<n { cell.send(i) }
      context.run()
    }
    try tally.expectAll(n)
    token.cancel()
    return sample
  }

  // MARK: Two ways

  private static let twoWay = Workload(
    "W16.twoWay",
    "A value from one cell to the other, and one back",
    per: "round trip",
    comparedTo: "two observers, echo guard",
    [
      .ours("bindTwoWay", 5_000) { n in
        let (a, b) = (BindableActor(-1), BindableActor(-1))
        let token = a.bindTwoWay(to: b)
        let sample = try await roundTrips(n, a, b) { await a.settled() }
        // Without an echo, each write is one update of each cell. The cells were equal at first, so the binding wrote
        // nothing at the beginning.
        try expect(Int(a.version), equals: 2 * n, "updates of the one")
        try expect(Int(b.version), equals: 2 * n, "updates of the other")
        token.cancel()
        return sample
      },
      .baseline("two observers, echo guard", 5_000) { n in
        let (a, b) = (BindableActor(-1), BindableActor(-1))
        let tokens = [
          a.observe(on: .cell) { b.sendIfChanged($0) },
          b.observe(on: .cell) { a.sendIfChanged($0) },
        ]
        let sample = try await roundTrips(n, a, b) {
          await a.settled()
          await b.settled()
        }
        withExtendedLifetime(tokens) {}
        return sample
      },
      // The writer calls the closure. Two writers at once may leave the cells different for ever.
      .baseline("two closures, echo guard", 200_000) { n in
        let (a, b) = (ClosureList(), ClosureList())
        a.add { if b.value != $0 { b.send($0) } }
        b.add { if a.value != $0 { a.send($0) } }
        var right = 0
        let sample = timed {
          for i in 0..<n {
            a.send(2 * i)
            if b.value == 2 * i { right += 1 }
            b.send(2 * i + 1)
            if a.value == 2 * i + 1 { right += 1 }
          }
        }
        try expect(right, equals: 2 * n, "values that arrived")
        return sample
      },
    ]
  )

  private static func roundTrips(
    _ n: Int,
    _ a: BindableActor<Int>,
    _ b: BindableActor<Int>,
    settled: () async -> Void
  ) async throws -> Sample {
    await settled()
    var right = 0
    let stopwatch = Stopwatch()
    for i in 0..<n {
      a.send(2 * i)
      await settled()
      if b.value == 2 * i { right += 1 }
      b.send(2 * i + 1)
      await settled()
      if a.value == 2 * i + 1 { right += 1 }
    }
    let sample = stopwatch.sample
    try expect(right, equals: 2 * n, "values that arrived")
    return sample
  }

  // MARK: Read-only views

  private static let readOnly = Workload(
    "W16.readOnly",
    "Reading an Int, through a read-only view",
    per: "read",
    comparedTo: "value",
    [
      .ours("readOnly.value", 4_000_000) { n in
        let cell = BindableActor(1)
        let source = cell.readOnly
        let sample = try read(n) { source.value }
        withExtendedLifetime(cell) {}
        return sample
      },
      .ours("value", 4_000_000) { n in
        let cell = BindableActor(1)
        return try read(n) { cell.value }
      },
      .baseline("a closure that reads", 4_000_000) { n in
        let cell = LockedInt()
        cell.store(1)
        let value: @Sendable () -> Int = { cell.value }
        return try read(n, value)
      },
    ]
  )

  @inline(__always)
  private static func read(_ n: Int, _ value: () -> Int) throws -> Sample {
    var sum = 0
    let sample = timed {
      for _ in 0..<n { sum &+= value() }
    }
    try expect(sum, equals: n, "the sum of the values")
    return sample
  }

  // MARK: Waiting

  private static let first = Workload(
    "W16.first",
    "Waiting for the current value",
    per: "wait",
    comparedTo: "a loop that breaks",
    [
      .ours("first(where:)", 200_000) { n in
        let cell = BindableActor(1)
        return try await find(n) { await cell.first { $0 == 1 } }
      },
      .ours("value", 4_000_000) { n in
        let cell = BindableActor(1)
        return try await find(n) { cell.value }
      },
      .baseline("a loop that breaks", 200_000) { n in
        let cell = BindableActor(1)
        return try await find(n) {
          for await value in cell.values where value == 1 { return value }
          return nil
        }
      },
    ]
  )

  @inline(__always)
  private static func find(_ n: Int, _ wait: () async -> Int?) async throws -> Sample {
    var sum = 0
    let stopwatch = Stopwatch()
    for _ in 0..<n { sum += await wait() ?? 0 }
    let sample = stopwatch.sample
    try expect(sum, equals: n, "values that were found")
    return sample
  }
}
