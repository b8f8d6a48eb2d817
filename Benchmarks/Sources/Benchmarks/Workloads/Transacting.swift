import ActorBindings
import Dispatch

/// W14: several cells at once, and the cost for their writers.
enum Transacting {
  static let workloads = [transaction, transfers, busy, waking, woken]

  private static let transaction = Workload(
    "W14.transaction",
    "Reading and writing two Ints together, no readers",
    per: "transaction",
    comparedTo: "two sends",
    [
      .ours("transaction", 500_000, .times(4, of: "two sends")) { n in
        let (a, b) = (BindableActor(0), BindableActor(n))
        let sample = timed {
          for _ in 0..<n {
            BindingTransaction.run { transaction in
              transaction[a] += 1
              transaction[b] -= 1
            }
          }
        }
        try expect(a.value, equals: n, "the value of the first")
        try expect(b.value, equals: 0, "the value of the second")
        try expect(Int(a.version &+ b.version), equals: 2 * n, "versions")
        return sample
      },
      .ours("two sends", 2_000_000) { n in
        let (a, b) = (BindableActor(-1), BindableActor(-1))
        let sample = timed {
          for i in 0..<n {
            a.send(i)
            b.send(n - i)
          }
        }
        try expect(a.value, equals: n - 1, "the value of the first")
        try expect(b.value, equals: 1, "the value of the second")
        return sample
      },
      .ours("two modifies", 1_000_000) { n in
        let (a, b) = (BindableActor(0), BindableActor(n))
        let sample = timed {
          for _ in 0..<n {
            a.modify { $0 += 1 }
            b.modify { $0 -= 1 }
          }
        }
        try expect(a.value, equals: n, "the value of the first")
        try expect(b.value, equals: 0, "the value of the second")
        return sample
      },
      .baseline("Mutex around both", 2_000_000) { n in
        let pair = LockedPair(0, n)
        let sample = timed {
          for _ in 0..<n {
            pair.modify { left, right in
              left += 1
              right -= 1
            }
          }
        }
        try expect(pair.values.left, equals: n, "the value of the first")
        try expect(pair.values.right, equals: 0, "the value of the second")
        return sample
      },
      // Each value has a lock, and the locks are always taken in the same order. So other code can use one of the
      // values, as with transactions.
      .baseline("a Mutex around each", 2_000_000) { n in
        let (a, b) = (NestedInt(0), NestedInt(n))
        let sample = timed {
          for _ in 0..<n {
            a.modify { left in
              b.modify { right in
                left += 1
                right -= 1
              }
            }
          }
        }
        try expect(a.value, equals: n, "the value of the first")
        try expect(b.value, equals: 0, "the value of the second")
        return sample
      },
      .baseline("actor call", 500_000) { n in
        let pair = PairActor()
        let stopwatch = Stopwatch()
        for _ in 0..<n { await pair.transfer() }
        let sample = stopwatch.sample
        try expect(await pair.left, equals: n, "the value of the first")
        return sample
      },
    ]
  )

  private static let transfers = Workload(
    "W14.threads",
    "Transfers between two Ints, from two threads, no readers",
    per: "transfer",
    comparedTo: "a Mutex around each",
    [
      .ours("transaction", 400_000) { n in
        let (a, b) = (BindableActor(0), BindableActor(0))
        let sample = concurrently(n) {
          BindingTransaction.run { transaction in
            transaction[a] += 1
            transaction[b] -= 1
          }
        }
        try expect(a.value, equals: n / 2 * 2, "the value of the first")
        try expect(a.value + b.value, equals: 0, "the sum")
        return sample
      },
      .baseline("a Mutex around each", 800_000) { n in
        let (a, b) = (NestedInt(0), NestedInt(0))
        let sample = concurrently(n) {
          a.modify { left in
            b.modify { right in
              left += 1
              right -= 1
            }
          }
        }
        try expect(a.value, equals: n / 2 * 2, "the value of the first")
        try expect(a.value + b.value, equals: 0, "the sum")
        return sample
      },
      .baseline("actor call", 100_000) { n in
        let pair = PairActor()
        let stopwatch = Stopwatch()
        await withTaskGroup { group in
          for _ in 0..<2 {
            group.addTask {
              for _ in 0..<n / 2 { await pair.transfer() }
            }
          }
        }
        let sample = stopwatch.sample
        try expect(await pair.left, equals: n / 2 * 2, "the value of the first")
        return sample
      },
    ]
  )

  private static func concurrently(_ n: Int, _ work: @escaping @Sendable () -> Void) -> Sample {
    let threads = Threads(2) { _ in
      for _ in 0..<n / 2 { work() }
    }
    return timed {
      threads.begin()
      threads.join()
    }
  }

  private static let busy = Workload(
    "W14.busy",
    "Sending while a reader is busy: it was woken, and has not parked again",
    per: "send",
    comparedTo: "a reader of one cell",
    [
      .ours("no reader", 2_000_000) { n in try send(n) { _, _, _, _ in nil } },
      .ours("a reader of one cell", 2_000_000) { n in try send(n, plain) },
      .ours("a reader of two cells", 2_000_000, .times(1.1, of: "a reader of one cell")) { n in
        try send(n, combined)
      },
      .baseline("newest of two by hand", 2_000_000) { n in
        let (context, tally) = (PumpedContext(), Tally(until: n - 1))
        let slot = PairSlot(-1, 0, context.schedule) { tally.receive($0 + $1) }
        slot.sendLeft(-2)
        let sample = timed {
          for i in 0..<n { slot.sendLeft(i) }
        }
        context.run()
        try expectLast(n, tally)
        return sample
      },
    ]
  )

  private static let waking = Workload(
    "W14.waking",
    "A send that wakes a parked reader, without what the reader does then",
    per: "send",
    comparedTo: "a reader of one cell",
    [
      .ours("a reader of one cell", 100_000) { n in try wake(n, plain) },
      .ours("a reader of two cells", 100_000, .times(1.1, of: "a reader of one cell")) { n in
        try wake(n, combined)
      },
      .baseline("newest of two by hand", 1_000_000) { n in
        try wake(n) { context, tally in
          PairSlot(-1, 0, context.schedule) { tally.receive($0 + $1) }
        } send: {
          $0.sendLeft($1)
        }
      },
    ]
  )

  // The longer a reader takes, the less often it has parked when the next value comes.
  private static let woken = Workload(
    "W14.woken",
    "Sending while a reader on a queue follows: it parks, and is woken",
    per: "send",
    comparedTo: "a reader of one cell",
    [
      .ours("a reader of one cell", 1_000_000) { n in try await send(n, onQueueWith: plain) },
      .ours("a reader of two cells", 1_000_000, .times(1.1, of: "a reader of one cell")) { n in
        try await send(n, onQueueWith: combined)
      },
      .baseline("newest value by hand", 1_000_000) { n in
        let tally = Tally(until: n - 1)
        let slot = QueueSlot(DispatchQueue(label: "reader"), tally.handler)
        let sample = timed {
          for i in 0..<n { slot.send(i) }
        }
        await tally.isDone()
        return sample
      },
    ]
  )

  // MARK: Readers

  private typealias Reader = (BindableActor<Int>, BindableActor<Int>, DeliveryContext, Tally) -> BindingToken?

  private static func plain(
    _ a: BindableActor<Int>,
    _ b: BindableActor<Int>,
    _ context: DeliveryContext,
    _ tally: Tally
  ) -> BindingToken? {
    a.observe(on: context, tally.handler)
  }

  private static func combined(
    _ a: BindableActor<Int>,
    _ b: BindableActor<Int>,
    _ context: DeliveryContext,
    _ tally: Tally
  ) -> BindingToken? {
    combineLatest(a, b).observe(on: context) { left, right in tally.receive(left + right) }
  }

  // A reader that was woken, and has not run yet, is busy.
  private static func send(_ n: Int, _ reader: Reader) throws -> Sample {
    let (a, b, context) = (BindableActor(-1), BindableActor(0), PumpedContext())
    let tally = Tally(until: n - 1)
    let token = reader(a, b, context.context, tally)
    context.run()
    a.send(-2)
    let sample = timed {
      for i in 0..<n { a.send(i) }
    }
    context.run()
    if token != nil { try expectLast(n, tally) }
    withExtendedLifetime(token) {}
    return sample
  }

  private static func expectLast(_ n: Int, _ tally: Tally) throws {
    try expect(tally.count, equals: 1, "values delivered")
    try expect(tally.sum, equals: n - 1, "the last value")
  }

  private static func wake(_ n: Int, _ reader: Reader) throws -> Sample {
    try wake(n) { context, tally in
      let (a, b) = (BindableActor(-1), BindableActor(0))
      return (a, b, reader(a, b, context.context, tally))
    } send: {
      $0.0.send($1)
    }
  }

  // Uses many sources, each with a reader, so that each send finds a parked reader.
  @inline(__always)
  private static func wake<Source>(
    _ n: Int,
    _ source: (PumpedContext, Tally) -> Source,
    send: (Source, Int) -> Void
  ) throws -> Sample {
    let (context, tally) = (PumpedContext(), Tally(until: -2))
    let sources = (0..<1000).map { _ in source(context, tally) }
    context.run()
    let rounds = max(1, n / sources.count)
    var total = Duration.zero
    for round in 0..<rounds {
      total += timed { for source in sources { send(source, round) } }.duration
      context.run()
    }
    try expect(tally.count, equals: rounds * sources.count, "values delivered")
    try expect(tally.sum, equals: rounds * (rounds - 1) / 2 * sources.count, "the sum of the values")
    withExtendedLifetime(sources) {}
    return Sample(duration: total * n / (rounds * sources.count))
  }

  private static func send(_ n: Int, onQueueWith reader: Reader) async throws -> Sample {
    let (a, b) = (BindableActor(-1), BindableActor(0))
    let tally = Tally(until: n - 1)
    let token = reader(a, b, .queue(DispatchQueue(label: "reader")), tally)
    await a.settled()
    let sample = timed {
      for i in 0..<n { a.send(i) }
    }
    await tally.isDone()
    await a.settled()
    token?.cancel()
    return sample
  }
}
