import ActorBindings
import Observation
import Reporting

/// W4 and W5: every value to one loop, and to many.
enum Streaming {
  static let workloads = [oneLoop, manyLoops(100), manyLoops(1000), busyLoops]

  private static let oneLoop = Workload(
    "W4",
    "One producer, one loop, every value",
    per: "value",
    comparedTo: "AsyncStream",
    [
      .ours("values(.unbounded)", 500_000, .times(0.1, of: "AsyncStream")) { n in try await ours(n, loops: 1)
      },
      .baseline("AsyncStream", 60_000) { n in try await asyncStreams(n, loops: 1) },
      .baseline("batch mailbox by hand", 500_000) { n in
        let (mailbox, begun) = (Mailbox(), Gate())
        let loop = Task {
          var sum = 0
          var batch: [Int] = []
          while let next = await mailbox.next(consume batch) {
            for value in next {
              if value < 0 { begun.arrive() } else { sum += value }
            }
            batch = next
            batch.removeAll(keepingCapacity: true)
          }
          return sum
        }
        mailbox.send(-1)
        await begun.passed()
        let stopwatch = Stopwatch()
        for i in 0..<n { mailbox.send(i) }
        mailbox.finish()
        _ = await loop.value
        let sample = stopwatch.sample
        try expect(await loop.value, equals: n * (n - 1) / 2, "the sum of the values")
        return sample
      },
      // These two lose values, and say how many: they are not faster ways to deliver every value.
      .baseline("AsyncStream(bufferingNewest)", 60_000) { n in
        let (stream, continuation) = AsyncStream.makeStream(
          of: Int.self,
          bufferingPolicy: .bufferingNewest(1)
        )
        return try await lossy(n, stream, begin: { continuation.yield(-1) }) {
          continuation.yield($0)
        } finish: {
          continuation.finish()
        }
      },
      .baseline("Observations", 20_000) { n in
        let model = ObservableInt(-1)
        let values = Observations.untilFinished { model.value == -2 ? .finish : .next(model.value) }
        return try await lossy(n, values, begin: {}) {
          model.value = $0
        } finish: {
          model.value = -2
        }
      },
      // The time of this subject shows the distance of the two processors: compare it before you compare two runs.
      .baseline("a word, there and back", 500_000) { n in try Word().sample(n) },
    ]
  )

  // Times the writer and a loop that may lose values. The end of a lossy sequence may be lost too, so the writer sends it
  // until the loop has ended.
  private static func lossy(
    _ n: Int,
    _ values: some AsyncSequence<Int, Never> & Sendable,
    begin: () -> Void,
    send: (Int) -> Void,
    finish: () -> Void
  ) async throws -> Sample {
    let (begun, ended) = (Gate(), Gate())
    let loop = Task {
      defer { ended.arrive() }
      var count = 0
      for await value in values {
        if value < 0 { begun.arrive() } else { count += 1 }
      }
      return count
    }
    begin()
    await begun.passed()
    let stopwatch = Stopwatch()
    for i in 0..<n { send(i) }
    repeat {
      finish()
      await Task.yield()
    } while ended.missing > 0
    var sample = stopwatch.sample
    sample.lost = n - (await loop.value)
    return sample
  }

  private static func manyLoops(_ loops: Int) -> Workload {
    let name = "\(grouped(loops)) AsyncStreams"
    return Workload(
      "W5.loops.\(loops)",
      "One producer, \(grouped(loops)) loops, every value",
      per: "delivery",
      fan: loops,
      comparedTo: name,
      [
        .ours("values(.unbounded)", 1_000_000 / loops, .times(1.0 / 30, of: name)) { n in
          try await ours(n, loops: loops)
        },
        .baseline(name, 80_000 / loops) { n in try await asyncStreams(n, loops: loops) },
        .baseline("batch mailboxes by hand", 1_000_000 / loops) { n in try await mailboxes(n, loops: loops) },
      ]
    )
  }

  /// Times only the producer, while loops that want every value are busy.
  private static let busyLoops = Workload(
    "W5.producer",
    "The producer's cost, while loops that want every value are busy",
    per: "send",
    comparedTo: "1 loop",
    [
      .ours("1 loop", 500_000) { n in try await busy(1, n) },
      .ours("1,000 loops", 500_000, .times(1.1, of: "1 loop")) { n in try await busy(1000, n) },
    ]
  )

  private static func busy(_ loops: Int, _ n: Int) async throws -> Sample {
    let cell = BindableActor(-1)
    var iterators = (0..<loops).map { _ in cell.values(backlog: .unbounded).makeAsyncIterator() }
    for index in iterators.indices { _ = await iterators[index].next() }
    let sample = timed {
      for i in 0..<n { cell.send(i) }
    }
    try expect(await iterators[0].next() ?? -1, equals: 0, "the next value")
    return sample
  }

  private static func ours(_ n: Int, loops: Int) async throws -> Sample {
    let cell = BindableActor(-1)
    let begun = Gate(loops)
    let tasks = (0..<loops).map { _ in
      Task {
        await sum(cell.values(backlog: .unbounded), begun)
      }
    }
    await begun.passed()
    let stopwatch = Stopwatch()
    for i in 0..<n { cell.send(i) }
    cell.finish()
    for task in tasks { _ = await task.value }
    let sample = stopwatch.sample
    for task in tasks { try expect(await task.value, equals: n * (n - 1) / 2, "the sum of the values") }
    return sample
  }

  private static func mailboxes(_ n: Int, loops: Int) async throws -> Sample {
    let (mailboxes, begun) = ((0..<loops).map { _ in Mailbox() }, Gate(loops))
    let tasks = mailboxes.map { mailbox in
      Task {
        var sum = 0
        while let batch = await mailbox.next() {
          for value in batch {
            if value < 0 { begun.arrive() } else { sum += value }
          }
        }
        return sum
      }
    }
    for mailbox in mailboxes { mailbox.send(-1) }
    await begun.passed()
    let stopwatch = Stopwatch()
    for i in 0..<n {
      for mailbox in mailboxes { mailbox.send(i) }
    }
    for mailbox in mailboxes { mailbox.finish() }
    for task in tasks { _ = await task.value }
    let sample = stopwatch.sample
    for task in tasks { try expect(await task.value, equals: n * (n - 1) / 2, "the sum of the values") }
    return sample
  }

  private static func asyncStreams(_ n: Int, loops: Int) async throws -> Sample {
    let begun = Gate(loops)
    let streams = (0..<loops).map { _ in AsyncStream.makeStream(of: Int.self) }
    let tasks = streams.map { stream in
      Task {
        await sum(stream.stream, begun)
      }
    }
    let producers = streams.map(\.continuation)
    for producer in producers { producer.yield(-1) }
    await begun.passed()
    let stopwatch = Stopwatch()
    for i in 0..<n {
      for producer in producers { producer.yield(i) }
    }
    for producer in producers { producer.finish() }
    for task in tasks { _ = await task.value }
    let sample = stopwatch.sample
    for task in tasks { try expect(await task.value, equals: n * (n - 1) / 2, "the sum of the values") }
    return sample
  }

  // This function is specialized for each kind of stream. The first value shows that the loop has begun.
  @inline(__always)
  private static func sum(_ values: some AsyncSequence<Int, Never>, _ begun: Gate) async -> Int {
    var sum = 0
    for await value in values {
      if value < 0 { begun.arrive() } else { sum += value }
    }
    return sum
  }
}
