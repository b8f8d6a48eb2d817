import ActorBindings

/// W13: the cost of busy readers for a writer.
enum Lagging {
  static let workloads = [
    Workload(
      "W13",
      "Sending while readers are busy: they lag, and are not parked",
      per: "send",
      comparedTo: "0 readers",
      [
        .ours("0 readers", 2_000_000) { n in try await send(n, readers: 0) },
        .ours("1 reader", 2_000_000, .times(1.1, of: "0 readers")) { n in try await send(n, readers: 1) },
        .ours("100 readers", 2_000_000, .times(1.1, of: "0 readers")) { n in try await send(n, readers: 100)
        },
        .ours("10,000 readers", 2_000_000, .times(1.1, of: "0 readers")) { n in
          try await send(n, readers: 10_000)
        },
      ]
    )
  ]

  private static func send(_ n: Int, readers: Int) async throws -> Sample {
    let cell = BindableActor(-1)
    // A reader that has taken a value and not asked for the next is busy.
    var iterators = (0..<readers).map { _ in cell.values.makeAsyncIterator() }
    for index in iterators.indices { _ = await iterators[index].next() }
    let sample = timed {
      for i in 0..<n { cell.send(i) }
    }
    for index in iterators.indices {
      try expect(await iterators[index].next() ?? -1, equals: n - 1, "the last value")
    }
    return sample
  }
}
