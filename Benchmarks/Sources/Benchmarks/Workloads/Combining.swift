import ActorBindings

/// W15: the cost of a value in operators over several sources, and in operators that keep a value.
enum Combining {
  static let workloads = [handedOver, burst, streamed, merged, zipped, scanned, previous, changes]

  // MARK: combineLatest

  private static let handedOver = Workload(
    "W15.latest",
    "The newest of two cells: each write is delivered before the next",
    per: "value",
    comparedTo: "one cell",
    [
      .ours("one cell", 200_000) { n in try alternate(n, .latest, observeOne) },
      .ours("combineLatest", 100_000) { n in try alternate(n, .latest, observeBoth) },
      .baseline("closure under a Mutex", 2_000_000) { n in try byHand(n) },
    ]
  )

  private static let burst = Workload(
    "W15.unbounded",
    "Every state of two cells: a burst of writes, delivered after the last",
    per: "value",
    comparedTo: "one cell",
    [
      .ours("one cell", 200_000) { n in try alternate(n, .unbounded, observeOne) },
      .ours("combineLatest", 100_000) { n in try alternate(n, .unbounded, observeBoth) },
      .baseline("closure under a Mutex", 2_000_000) { n in try byHand(n) },
    ]
  )

  private static let streamed = Workload(
    "W15.streamed",
    "Every state of two cells, streamed: all are already written",
    per: "value",
    comparedTo: "pair and batch mailbox by hand",
    [
      .ours("combineLatest", 100_000) { n in
        try await stream(n, { combineLatest($0, $1) }, sending: sendInTurn) { $0 += max($1.0, $1.1, 0) }
      },
      .baseline("pair and batch mailbox by hand", 500_000) { n in
        let mailbox = Mailbox()
        let pair = LockedCombination(-1, -1) { mailbox.send(max($0, $1)) }
        for i in stride(from: 0, to: n, by: 2) {
          pair.sendLeft(i)
          pair.sendRight(i + 1)
        }
        mailbox.finish()
        var sum = 0
        let stopwatch = Stopwatch()
        while let batch = await mailbox.next() {
          for value in batch { sum += value }
        }
        let sample = stopwatch.sample
        try expect(sum, equals: n * (n - 1) / 2, "the sum of the values")
        return sample
      },
    ]
  )

  private typealias Reader = (BindableActor<Int>, BindableActor<Int>, DeliveryContext, Tally, Backlog) ->
    BindingToken

  private static func observeOne(
    _ a: BindableActor<Int>,
    _ b: BindableActor<Int>,
    _ context: DeliveryContext,
    _ tally: Tally,
    _ backlog: Backlog
  ) -> BindingToken {
    a.observe(on: context, backlog: backlog, tally.handler)
  }

  private static func observeBoth(
    _ a: BindableActor<Int>,
    _ b: BindableActor<Int>,
    _ context: DeliveryContext,
    _ tally: Tally,
    _ backlog: Backlog
  ) -> BindingToken {
    // The writes alternate and rise, so the larger value was written last.
    combineLatest(a, b).observe(on: context, backlog: backlog) { tally.receive(max($0, $1)) }
  }

  // Times the way from the write to the handler, all on this thread. For a reader of one cell, all values are sent to
  // that cell.
  private static func alternate(_ n: Int, _ backlog: Backlog, _ reader: Reader) throws -> Sample {
    let (a, b, context) = (BindableActor(-1), BindableActor(-1), PumpedContext())
    let tally = Tally(until: n - 1)
    let token = reader(a, b, context.context, tally, backlog)
    context.run()
    let second = b.observerCount == 0 ? a : b
    let isBurst = backlog == .unbounded
    let sample = timed {
      for i in stride(from: 0, to: n, by: 2) {
        a.send(i)
        if !isBurst { context.run() }
        second.send(i + 1)
        if !isBurst { context.run() }
      }
      context.run()
    }
    try tally.expectAll(n)
    token.cancel()
    return sample
  }

  /// The greatest of two values, by a closure under a Mutex.
  static func byHand(_ n: Int) throws -> Sample {
    let tally = Tally(until: n - 1)
    let pair = LockedCombination(-1, -1) { tally.receive(max($0, $1)) }
    let sample = timed {
      for i in stride(from: 0, to: n, by: 2) {
        pair.sendLeft(i)
        pair.sendRight(i + 1)
      }
    }
    try tally.expectAll(n)
    return sample
  }

  // MARK: merge and zip

  private static let merged = Workload(
    "W15.merge",
    "Every value of two cells, in order, streamed: all are already written",
    per: "value",
    comparedTo: "one cell",
    [
      .ours("one cell", 200_000) { n in
        try await stream(n, { a, _ in a }, sending: sendOne) { $0 += max($1, 0) }
      },
      .ours("merge", 100_000) { n in
        try await stream(n, { merge($0, $1) }, sending: sendInTurn) { $0 += max($1, 0) }
      },
      .baseline("AsyncStream", 50_000) { n in
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        for i in 0..<n { continuation.yield(i) }
        continuation.finish()
        var sum = 0
        let stopwatch = Stopwatch()
        for await value in stream { sum += value }
        let sample = stopwatch.sample
        try expect(sum, equals: n * (n - 1) / 2, "the sum of the values")
        return sample
      },
      // The loop takes all values at once: only an array has to be summed.
      .baseline("batch mailbox by hand", 500_000) { n in
        let mailbox = Mailbox()
        for i in 0..<n { mailbox.send(i) }
        mailbox.finish()
        var sum = 0
        let stopwatch = Stopwatch()
        while let batch = await mailbox.next() {
          for value in batch { sum += value }
        }
        let sample = stopwatch.sample
        try expect(sum, equals: n * (n - 1) / 2, "the sum of the values")
        return sample
      },
    ]
  )

  private static let zipped = Workload(
    "W15.zip",
    "Pairs of two cells' values, streamed: all are already written",
    per: "pair",
    comparedTo: "two loops by hand",
    [
      .ours("zip", 100_000) { n in
        try await stream(n, { zip($0, $1) }, sending: sendBoth) { $0 += $1.0 == $1.1 ? max($1.0, 0) : 0 }
      },
      .baseline("two loops by hand", 100_000) { n in
        let (a, b) = (BindableActor(-1), BindableActor(-1))
        var left = a.values(backlog: .unbounded).makeAsyncIterator()
        var right = b.values(backlog: .unbounded).makeAsyncIterator()
        fill(n, a, b, sending: sendBoth)
        var sum = 0
        let stopwatch = Stopwatch()
        while let left = await left.next(), let right = await right.next() {
          sum += left == right ? max(left, 0) : 0
        }
        let sample = stopwatch.sample
        try expect(sum, equals: n * (n - 1) / 2, "the sum of the values")
        return sample
      },
    ]
  )

  // MARK: Operators that keep a value

  private static let scanned = Workload(
    "W15.scan",
    "The sum so far with each value, streamed: all are already written",
    per: "value",
    comparedTo: "by hand, in the loop",
    [
      .ours("scan", 200_000) { n in
        try await stream(n, { a, _ in a.scan(0) { $0 + max($1, 0) } }, sending: sendOne) { $0 = $1 }
      },
      .baseline("by hand, in the loop", 200_000) { n in
        var sum = 0
        return try await stream(n, { a, _ in a }, sending: sendOne) {
          sum += max($1, 0)
          $0 = sum
        }
      },
    ]
  )

  private static let previous = Workload(
    "W15.withPrevious",
    "Each value and the one before, streamed: all are already written",
    per: "value",
    comparedTo: "by hand, in the loop",
    [
      .ours("withPrevious", 200_000) { n in
        try await stream(n, { a, _ in a.withPrevious() }, sending: sendOne) {
          if let old = $1.old { $0 += ($1.new - old) * $1.new }
        }
      },
      .baseline("by hand, in the loop", 200_000) { n in
        var last: Int?
        return try await stream(n, { a, _ in a }, sending: sendOne) {
          if let old = last { $0 += ($1 - old) * $1 }
          last = $1
        }
      },
    ]
  )

  private static let changes = Workload(
    "W15.dropFirst",
    "Changes only, streamed: all are already written",
    per: "value",
    comparedTo: "by hand, in the loop",
    [
      .ours("dropFirst", 200_000) { n in
        try await stream(n, { a, _ in a.dropFirst() }, sending: sendOne) { $0 += $1 }
      },
      .baseline("by hand, in the loop", 200_000) { n in
        var isFirst = true
        return try await stream(n, { a, _ in a }, sending: sendOne) {
          if !isFirst { $0 += $1 }
          isFirst = false
        }
      },
    ]
  )

  // MARK: Streams

  private typealias Send = (BindableActor<Int>, BindableActor<Int>, Int) -> Void

  @Sendable private static func sendOne(_ a: BindableActor<Int>, _ b: BindableActor<Int>, _ i: Int) {
    a.send(i)
  }

  @Sendable private static func sendInTurn(_ a: BindableActor<Int>, _ b: BindableActor<Int>, _ i: Int) {
    (i.isMultiple(of: 2) ? a : b).send(i)
  }

  @Sendable private static func sendBoth(_ a: BindableActor<Int>, _ b: BindableActor<Int>, _ i: Int) {
    a.send(i)
    b.send(i)
  }

  // Only the way from the cells to the loop is timed. The result of `add` must be the sum of 0 to n - 1.
  @inline(__always)
  private static func stream<Source: BindingSource>(
    _ n: Int,
    _ chain: (BindableActor<Int>, BindableActor<Int>) -> Source,
    sending send: Send,
    _ add: (inout Int, Source.Value) -> Void
  ) async throws -> Sample {
    let (a, b) = (BindableActor(-1), BindableActor(-1))
    let values = chain(a, b).values(backlog: .unbounded)
    fill(n, a, b, sending: send)
    var sum = 0
    let stopwatch = Stopwatch()
    for await value in values { add(&sum, value) }
    let sample = stopwatch.sample
    try expect(sum, equals: n * (n - 1) / 2, "the sum of the values")
    return sample
  }

  private static func fill(_ n: Int, _ a: BindableActor<Int>, _ b: BindableActor<Int>, sending send: Send) {
    for i in 0..<n { send(a, b, i) }
    a.finish()
    b.finish()
  }
}
