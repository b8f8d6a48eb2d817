import ActorBindings

/// W10: the time that operators add to each value. All values are already written, so that only the way from the cell
/// to the reader is timed.
enum Operating {
  static let workloads = [observed, streamed]

  private static let added = 10.0

  private static let observed = Workload(
    "W10.observed",
    "map, filter, map: observed",
    per: "value",
    comparedTo: "no operator",
    [
      .ours("no operator", 200_000) { n in try observe(n, { $0 }) },
      .ours("map.filter.map", 200_000, .added(added, to: "no operator")) { n in
        try observe(n) { $0.map { $0 &+ 1 }.filter { $0 >= 0 }.map { $0 &- 1 } }
      },
      .baseline("by hand, in the handler", 200_000) { n in
        try observe(n, { $0 }) { value, handle in
          let next = value &+ 1
          if next >= 0 { handle(next &- 1) }
        }
      },
    ]
  )

  private static func observe<Source: BindingSource<Int>>(
    _ n: Int,
    _ chain: (BindableActor<Int>) -> Source,
    _ body: @escaping @Sendable (Int, Handler) -> Void = { $1($0) }
  ) throws -> Sample {
    let cell = BindableActor(-1)
    let tally = Tally(until: n - 1)
    let pumped = PumpedContext()
    let handler = tally.handler
    let token = chain(cell).observe(on: pumped.context, backlog: .unbounded) { body($0, handler) }
    pumped.run()
    for i in 0..<n { cell.send(i) }
    let sample = timed { pumped.run() }
    try tally.expectAll(n)
    token.cancel()
    return sample
  }

  private static let streamed = Workload(
    "W10.streamed",
    "map, filter, map: streamed",
    per: "value",
    comparedTo: "no operator",
    [
      .ours("no operator", 200_000) { n in try await stream(n) { $0 } },
      .ours("map.filter.map", 200_000, .added(added, to: "no operator")) { n in
        try await stream(n) { $0.map { $0 &+ 1 }.filter { $0 >= 0 }.map { $0 &- 1 } }
      },
      .baseline("batch mailbox, by hand in the loop", 500_000) { n in
        let mailbox = Mailbox()
        for i in 0..<n { mailbox.send(i) }
        mailbox.finish()
        var sum = 0
        let stopwatch = Stopwatch()
        while let batch = await mailbox.next() {
          for value in batch {
            let next = value &+ 1
            if next >= 0 { sum += next &- 1 }
          }
        }
        let sample = stopwatch.sample
        try expect(sum, equals: n * (n - 1) / 2, "the sum of the values")
        return sample
      },
      .baseline("AsyncStream", 100_000) { n in
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        for i in 0..<n { continuation.yield(i) }
        continuation.finish()
        return try await drain(n, stream)
      },
      .baseline("AsyncStream.map.filter.map", 50_000) { n in
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        for i in 0..<n { continuation.yield(i) }
        continuation.finish()
        return try await drain(n, stream.map { $0 &+ 1 }.filter { $0 >= 0 }.map { $0 &- 1 })
      },
    ]
  )

  @inline(__always)
  private static func stream<Source: BindingSource<Int>>(
    _ n: Int,
    _ chain: (BindableActor<Int>) -> Source
  ) async throws -> Sample {
    let cell = BindableActor(-1)
    let values = chain(cell).values(backlog: .unbounded)
    for i in 0..<n { cell.send(i) }
    cell.finish()
    return try await drain(n, values)
  }

  @inline(__always)
  private static func drain(_ n: Int, _ values: some AsyncSequence<Int, Never>) async throws -> Sample {
    var sum = 0
    let stopwatch = Stopwatch()
    for await value in values where value >= 0 { sum += value }
    let sample = stopwatch.sample
    try expect(sum, equals: n * (n - 1) / 2, "the sum of the values")
    return sample
  }
}
