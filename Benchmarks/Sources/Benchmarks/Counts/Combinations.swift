import ActorBindings

/// Counts of writing and reading several cells together.
enum Combinations {
  static let counts = [
    Count(
      "allocations.combine.wake",
      "a value that wakes a reader of two cells",
      {
        try observed(.latest, values: 1000) { a, b, context in
          allocations(per: 1000) {
            for i in stride(from: 0, to: 1000, by: 2) {
              a.send(i)
              context.run()
              b.send(i + 1)
              context.run()
            }
          }
        }
      },
      [
        "newest of two by hand": {
          let (context, tally) = (PumpedContext(), Tally(until: -2))
          let slot = PairSlot(-1, -1, context.schedule) { _, _ in tally.receive(1) }
          let found = allocations(per: 1000) {
            for i in stride(from: 0, to: 1000, by: 2) {
              slot.sendLeft(i)
              context.run()
              slot.sendRight(i + 1)
              context.run()
            }
          }
          try expect(tally.count, equals: 1000, "values delivered")
          return found
        }
      ]
    ),
    Count(
      "allocations.combine.latest",
      "a value of a burst, a .latest reader of two cells",
      {
        try observed(.latest, values: 1) { a, b, context in
          allocations(per: 10_000) { burst(a, b, context) }
        }
      }
    ),
    Count(
      "allocations.combine.unbounded",
      "a value of a burst, an .unbounded reader of two cells",
      {
        try observed(.unbounded, values: 10_000) { a, b, context in
          allocations(per: 10_000) { burst(a, b, context) }
        }
      }
    ),
    Count(
      "wakeups.combine",
      "a transaction over both cells of a reader",
      {
        try observed(.latest, values: 100) { a, b, context in
          let before = context.count
          for _ in 0..<100 {
            transfer(from: a, to: b)
            context.run()
          }
          return Double(context.count - before) / 100
        }
      }
    ),
    Count(
      "bytes.combine.source",
      "a combination of two cells without readers",
      {
        let (a, b) = (BindableActor(0), BindableActor(0))
        typealias Source = DerivedSource<CombineLatestCursor<CellCursor<Int>, CellCursor<Int>>>
        var sources: [Source] = []
        sources.reserveCapacity(many)
        let found = bytes(per: many) {
          for _ in 0..<many { sources.append(combineLatest(a, b)) }
        }
        return found + Double(MemoryLayout<Source>.stride)
      }
    ),
    Count(
      "bytes.combine.first",
      "the first idle observer of a combination, with the combination",
      {
        var cells: [(BindableActor<Int>, BindableActor<Int>)] = []
        for _ in 0..<many { cells.append((BindableActor(0), BindableActor(0))) }
        var tokens: [BindingToken] = []
        tokens.reserveCapacity(many)
        let (tally, context) = (Tally(until: -2), PumpedContext())
        let on = context.context
        return bytes(per: many) {
          for (a, b) in cells {
            tokens.append(combineLatest(a, b).observe(on: on) { tally.receive($0 + $1) })
            // Runs the jobs one by one: a longer list of jobs in the context would be counted too.
            context.run()
          }
        }
      }
    ),
    Count(
      "bytes.combine.observer",
      "each other idle observer of a combination",
      {
        let (a, b) = (BindableActor(0), BindableActor(0))
        let source = combineLatest(a, b)
        let (tally, context) = (Tally(until: -2), PumpedContext())
        let first = source.observe(on: context.context) { _ in }
        context.run()
        var tokens: [BindingToken] = []
        tokens.reserveCapacity(many)
        let on = context.context
        let found = bytes(per: many) {
          for _ in 0..<many { tokens.append(source.observe(on: on) { tally.receive($0 + $1) }) }
          context.run()
        }
        first.cancel()
        withExtendedLifetime((a, b)) {}
        return found
      }
    ),
  ]

  private static let many = 10_000

  private static func transfer(from a: BindableActor<Int>, to b: BindableActor<Int>) {
    BindingTransaction.run { transaction in
      transaction[a] -= 1
      transaction[b] += 1
    }
  }

  private static func burst(_ a: BindableActor<Int>, _ b: BindableActor<Int>, _ context: PumpedContext) {
    for i in stride(from: 0, to: 10_000, by: 2) {
      a.send(i)
      b.send(i + 1)
    }
    context.run()
  }

  // Counts while an observer follows two cells and receives `n` values.
  private static func observed(
    _ backlog: Backlog,
    values: Int,
    _ measure: (BindableActor<Int>, BindableActor<Int>, PumpedContext) -> Double
  ) throws -> Double {
    let (a, b, context) = (BindableActor(-1), BindableActor(-1), PumpedContext())
    let tally = Tally(until: -2)
    let token = combineLatest(a, b).observe(on: context.context, backlog: backlog) { _ in tally.receive(1) }
    context.run()
    let found = measure(a, b, context)
    // One of the values is the first pair.
    try expect(tally.count - 1, equals: values, "values delivered")
    token.cancel()
    return found
  }
}
