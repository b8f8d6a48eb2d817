import ActorBindings
import Dispatch
import Reporting

/// W7: subscribing and cancelling, among few and among many other observers.
enum Subscribing {
  static let workloads = [0, 10_000, 100_000].map(pairs) + [flatness, lives]

  private static func pairs(_ others: Int) -> Workload {
    Workload(
      "W7.observer.\(others)",
      "Subscribe and cancel among \(grouped(others)) others",
      per: "pair",
      comparedTo: "dictionary under a Mutex",
      [
        .ours("observe on a queue, cancel", 100_000, .times(3, of: "dictionary under a Mutex")) { n in
          try await observers(n, among: others)
        },
        .ours("observe here, cancel", 100_000, .times(3, of: "dictionary under a Mutex")) { @MainActor n in
          let cell = BindableActor(0)
          let tokens = (0..<others).map { _ in cell.observe { _ in } }
          let sample = timed {
            for _ in 0..<n { cell.observe { _ in }.cancel() }
          }
          try expect(cell.observerCount, equals: others, "observers that are left")
          withExtendedLifetime(tokens) {}
          return sample
        },
        .baseline("dictionary under a Mutex", 200_000) { n in
          let registry = Registry()
          for _ in 0..<others { _ = registry.subscribe { _ in } }
          let sample = timed {
            for _ in 0..<n { registry.cancel(registry.subscribe { _ in }) }
          }
          try expect(registry.count, equals: others, "observers that are left")
          return sample
        },
        .baseline("a block on a queue", 100_000) { n in try blocks(n) },
      ]
    )
  }

  private static let flatness = Workload(
    "W7.flat",
    "Subscribe and cancel: does the time grow with the others?",
    per: "pair",
    comparedTo: "among 0",
    [
      .ours("among 0", 100_000) { n in try await observers(n, among: 0) },
      .ours("among 10,000", 100_000, .times(1.1, of: "among 0")) { n in try await observers(n, among: 10_000)
      },
      .ours("among 100,000", 100_000, .times(1.1, of: "among 0")) { n in
        try await observers(n, among: 100_000)
      },
    ]
  )

  private static func observers(_ n: Int, among others: Int) async throws -> Sample {
    let cell = BindableActor(0)
    let context = DeliveryContext.queue(DispatchQueue(label: "observers"))
    let tokens = (0..<others).map { _ in cell.observe(on: context) { _ in } }
    await cell.settled()
    let sample = timed {
      for _ in 0..<n { cell.observe(on: context) { _ in }.cancel() }
    }
    try expect(cell.observerCount, equals: others, "observers that are left")
    withExtendedLifetime(tokens) {}
    return sample
  }

  /// Times only how a queue is given a block for the first value. As with our subject, the time excludes the run of the
  /// block.
  private static func blocks(_ n: Int) throws -> Sample {
    let queue = DispatchQueue(label: "observers")
    let tally = Tally(until: n)
    let sample = timed {
      for _ in 0..<n { queue.async { tally.receive(0) } }
    }
    queue.sync {}
    try expect(tally.count, equals: n, "blocks that were run")
    return sample
  }

  /// The life of a task with a loop: the task begins, receives a first value, and ends.
  private static let lives = Workload(
    "W7.stream",
    "A stream's whole life: spawn, value, cancel, join",
    per: "life",
    comparedTo: "watch by hand",
    [
      .ours("values", 20_000, .times(1.3, of: "watch by hand")) { n in
        let cell = BindableActor(1)
        let sample = try await live(n) { gate in
          for await value in cell.values where value == 1 { gate.resume() }
        }
        try expect(cell.observerCount, equals: 0, "loops that are left")
        return sample
      },
      .baseline("watch by hand", 20_000) { n in
        let watch = Watch(1)
        return try await live(n) { gate in
          var receiver = watch.receiver()
          while let value = await receiver.next() {
            if value == 1 { gate.resume() }
          }
        }
      },
      .baseline("AsyncStream", 20_000) { n in
        try await live(n) { gate in
          let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
          continuation.yield(1)
          for await value in stream where value == 1 { gate.resume() }
        }
      },
    ]
  )

  private static func live(
    _ n: Int,
    _ loop: @escaping @Sendable (UnsafeContinuation<Void, Never>) async -> Void
  ) async throws -> Sample {
    let stopwatch = Stopwatch()
    for _ in 0..<n {
      var task: Task<Void, Never>?
      await withUnsafeContinuation { first in
        task = Task { await loop(first) }
      }
      task?.cancel()
      await task?.value
    }
    return stopwatch.sample
  }
}
