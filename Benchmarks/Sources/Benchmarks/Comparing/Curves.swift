import ActorBindings

extension Curve {
  static let all = [
    Curve(
      "readers",
      "A delivery to readers that are called in place",
      "readers",
      powers(to: 100_000),
      ours: "observe",
      floor: "closures under a Mutex",
      CallingInPlace.many
    ),
    Curve(
      "queue-readers",
      "A delivery to readers on one queue",
      "readers",
      powers(to: 100_000),
      ours: "send",
      floor: "batch mailbox of closures",
      Observing.onQueue
    ),
    Curve(
      "writers",
      "A write, with one observer on a queue",
      "writers",
      [1, 2, 4, 8, 16],
      ours: "send",
      floor: "closure under a Mutex",
      Contending.sending
    ),
    Curve(
      "backlog",
      "A value that is sent, and received after the last of a burst",
      "values",
      powers(to: 1_000_000),
      ours: ours,
      floor: byHand,
      backlog
    ),
    Curve(
      "keys",
      "A value of a key, no readers",
      "keys",
      powers(from: 10, to: 1_000_000),
      ours: "set",
      floor: "dictionary under a Mutex",
      Keying.setting
    ),
    Curve(
      "watched-keys",
      "A value of a key, whose watcher is called in place: each key has one",
      "keys",
      powers(from: 10, to: 1_000_000),
      ours: ours,
      floor: byHand,
      watched
    ),
    Curve(
      "sources",
      "A value of one of several cells, to an observer of all, in place",
      "sources",
      [2, 10, 100, 1_000],
      ours: ours,
      floor: byHand,
      sources
    ),
  ]

  private static let ours = "ours"
  private static let byHand = "by hand"

  private static func powers(from first: Int = 1, to last: Int) -> [Int] {
    Array(sequence(first: first) { $0 < last ? $0 * 10 : nil })
  }

  // MARK: Workloads that only a curve needs

  @Sendable private static func backlog(_ depth: Int) -> Workload {
    Workload(
      "backlog",
      "Every value of a burst to one loop",
      per: "value",
      comparedTo: byHand,
      [
        .ours(ours, max(depth, 500_000)) { n in
          let cell = BindableActor(-1)
          var values = cell.values(backlog: .unbounded).makeAsyncIterator()
          _ = await values.next()
          var sum = 0
          let stopwatch = Stopwatch()
          for begin in stride(from: 0, to: n, by: depth) {
            let burst = begin..<min(begin + depth, n)
            for i in burst { cell.send(i) }
            for _ in burst { sum += await values.next() ?? 0 }
          }
          let sample = stopwatch.sample
          try expect(sum, equals: n * (n - 1) / 2, "the sum of the values")
          return sample
        },
        .baseline(byHand, max(depth, 500_000)) { n in
          let mailbox = Mailbox()
          var sum = 0
          var spare: [Int] = []
          let stopwatch = Stopwatch()
          for begin in stride(from: 0, to: n, by: depth) {
            for i in begin..<min(begin + depth, n) { mailbox.send(i) }
            guard var batch = await mailbox.next(consume spare) else { break }
            for value in batch { sum += value }
            batch.removeAll(keepingCapacity: true)
            spare = batch
          }
          let sample = stopwatch.sample
          try expect(sum, equals: n * (n - 1) / 2, "the sum of the values")
          return sample
        },
      ]
    )
  }

  @Sendable private static func watched(_ count: Int) -> Workload {
    // Making many watchers takes longer than the measurement, so they are made once for a point.
    let (keys, handlers) = (Kept { Keying.watchedInPlace(count) }, Kept { Keying.watchedByHand(count) })
    return Workload(
      "watched",
      "A value of a watched key",
      per: "update",
      comparedTo: byHand,
      [
        .ours(ours, 200_000) { n in try Keying.update(n, .eachTime, keys.value) },
        .baseline(byHand, 200_000) { n in try Keying.update(n, .eachTime, handlers.value) },
      ]
    )
  }

  @Sendable private static func sources(_ count: Int) -> Workload {
    let values = 400_000 / count
    return Workload(
      "sources",
      "The newest of several cells, in place",
      per: "value",
      comparedTo: byHand,
      [
        .ours(ours, values) { n in
          let cells = (0..<count).map { _ in BindableActor(-1) }
          return try CallingInPlace.deliver(n) { tally in
            [combineLatest(cells).observe(on: .immediate) { tally.receive($0.max() ?? -1) }]
          } send: {
            cells[$0 % count].send($0)
          }
        },
        .baseline(byHand, values) { n in try CallingInPlace.listByHand(n, count) },
      ]
    )
  }
}

/// A value that is made at its first use.
// @unchecked: used by one task.
private final class Kept<Value>: @unchecked Sendable {
  private let make: @Sendable () -> Value
  private(set) lazy var value = make()

  init(_ make: @escaping @Sendable () -> Value) {
    self.make = make
  }
}
