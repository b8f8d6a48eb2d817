import ActorBindings
import Reporting

/// W19: cells that hold a dictionary, and watchers of its keys.
enum Keying {
  static let workloads =
    [100, 100_000].map(setting) + [reading]
    + [handedOver(.eachTime), handedOver(.afterThousand), inPlace, binding, looped, merged]

  private static let many = 100_000
  private static let byHand = "dictionary under a Mutex, and a send"

  static func entries(_ count: Int) -> [Int: Int] {
    Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, -1) })
  }

  // The step from one key to the next, in an order that no cache predicts. All keys have their turn, because the step
  // has no common divisor with the number of keys.
  static let step = 61_803

  // MARK: Writing and reading

  static func setting(_ count: Int) -> Workload {
    Workload(
      "W19.set.\(count)",
      "Setting the value of an existing key, one of \(grouped(count)), no readers",
      per: "set",
      comparedTo: byHand,
      [
        .ours("set", 100_000) { n in
          let prices = BindableDictionary(entries(count))
          let sample = timed {
            for i in 0..<n { prices.set(i, forKey: i &* step % count) }
          }
          try expect(prices[(n - 1) * step % count] ?? -1, equals: n - 1, "the last value")
          try expect(Int(prices.version), equals: n, "versions")
          return sample
        },
        .ours("modify", 100_000) { n in
          let prices = BindableDictionary(entries(count))
          let sample = timed {
            for i in 0..<n { prices.modify(forKey: i &* step % count) { $0 = i } }
          }
          try expect(prices[(n - 1) * step % count] ?? -1, equals: n - 1, "the last value")
          return sample
        },
        .ours("modify of a BindableActor of a Dictionary", count < 1000 ? 100_000 : 100) { n in
          let cell = BindableActor(entries(count))
          let sample = timed {
            for i in 0..<n { cell.modify { $0[i &* step % count] = i } }
          }
          try expect(cell.value[(n - 1) * step % count] ?? -1, equals: n - 1, "the last value")
          return sample
        },
        .baseline("dictionary under a Mutex", 500_000) { n in
          let dictionary = LockedDictionary(entries(count))
          let sample = timed {
            for i in 0..<n { dictionary.set(i, forKey: i &* step % count) }
          }
          try expect(dictionary[(n - 1) * step % count] ?? -1, equals: n - 1, "the last value")
          return sample
        },
        .baseline(byHand, 500_000) { n in
          let (dictionary, cell) = (LockedDictionary(entries(count)), BindableActor(-1))
          let sample = timed {
            for i in 0..<n {
              let key = i &* step % count
              dictionary.set(i, forKey: key)
              cell.send(key)
            }
          }
          try expect(dictionary[cell.value] ?? -1, equals: n - 1, "the last value")
          return sample
        },
      ]
    )
  }

  private static let reading = Workload(
    "W19.read",
    "Reading the value of a key, one of \(grouped(many))",
    per: "read",
    comparedTo: "dictionary under a Mutex",
    [
      .ours("subscript", 500_000) { n in
        let prices = BindableDictionary(entries(many))
        return try read(n) { prices[$0] }
      },
      .baseline("dictionary under a Mutex", 500_000) { n in
        let dictionary = LockedDictionary(entries(many))
        return try read(n) { dictionary[$0] }
      },
    ]
  )

  @inline(__always)
  private static func read(_ n: Int, _ value: (Int) -> Int?) throws -> Sample {
    var sum = 0
    let sample = timed {
      for i in 0..<n { sum += value(i &* step % many) ?? 0 }
    }
    try expect(sum, equals: -n, "the sum of the values")
    return sample
  }

  // MARK: Watching a key

  /// When watchers run.
  enum Turn {
    /// After each update. Everything is timed.
    case eachTime
    /// After a thousand updates, each of which woke a different watcher. Only the updates are timed.
    case afterThousand
  }

  private static func handedOver(_ turn: Turn) -> Workload {
    // The number of cells with which the keys are compared.
    let few = turn == .eachTime ? 1 : 1000
    return Workload(
      turn == .eachTime ? "W19.watched" : "W19.waking",
      turn == .eachTime
        ? "An update of one key, until its watcher has the value: each key has one"
        : "An update of one key that wakes its parked watcher, without what that does then: each key has one",
      per: "update",
      comparedTo: "a cell",
      [
        // One cell instead of the written key, or a thousand cells instead of a thousand keys.
        .ours("a cell", 100_000) { n in try update(n, turn, watchedCells(few)) },
        .ours("one of 1,000 keys", 100_000) { n in try update(n, turn, watchedKeys(1000)) },
        .ours("the same of 100,000 keys", 100_000, .times(3, of: "a cell")) { n in
          try update(n, turn, manyKeys, among: few)
        },
        .ours("one of 100,000 keys", 50_000, .times(3, of: "one of 100,000 cells")) { n in
          try update(n, turn, manyKeys)
        },
        // The watchers of these cells are as far apart in memory as those of the keys.
        .ours("one of 100,000 cells", 50_000) { n in try update(n, turn, manyCells) },
        .baseline("closures by key under a Mutex", 100_000) { n in
          let (tally, context) = (Tally(until: -2), PumpedContext())
          let prices = KeyHandlers(entries(many), context.schedule)
          for key in 0..<many { prices.add(for: key, tally.handler) }
          return try update(n, turn, Watched(many, tally, context.run, []) { prices.set($0, forKey: $1) })
        },
      ]
    )
  }

  /// Keys, each with a parked watcher.
  struct Watched: Sendable {
    let count: Int
    let tally: Tally
    /// Lets the watchers read.
    let look: @Sendable () -> Void
    let tokens: [BindingToken]
    let set: @Sendable (_ value: Int, _ key: Int) -> Void

    init(
      _ count: Int,
      _ tally: Tally,
      _ look: @escaping @Sendable () -> Void,
      _ tokens: [BindingToken],
      set: @escaping @Sendable (_ value: Int, _ key: Int) -> Void
    ) {
      self.count = count
      self.tally = tally
      self.look = look
      self.tokens = tokens
      self.set = set
    }
  }

  // Making 100,000 watchers takes longer than the measurement, so they are made once, and kept.
  private static let manyKeys = watchedKeys(many)
  private static let manyCells = watchedCells(many)

  private static func watchedCells(_ count: Int) -> Watched {
    let (tally, context) = (Tally(until: -2), PumpedContext())
    let cells = (0..<count).map { _ in BindableActor(-1) }
    let tokens = cells.map { $0.observe(on: context.context, tally.handler) }
    context.run()
    return Watched(count, tally, context.run, tokens) { cells[$1].send($0) }
  }

  private static func watchedKeys(_ count: Int) -> Watched {
    let (tally, context) = (Tally(until: -2), PumpedContext())
    let prices = BindableDictionary(entries(count))
    let tokens = (0..<count).map { key in
      prices.source(forKey: key).observe(on: context.context) { tally.receive($0 ?? -1) }
    }
    context.run()
    return Watched(count, tally, context.run, tokens) { prices.set($0, forKey: $1) }
  }

  static func update(_ n: Int, _ turn: Turn, _ keys: Watched, among few: Int? = nil) throws -> Sample {
    let written = few ?? keys.count
    // Continues where the previous sample ended.
    let (start, sum) = (keys.tally.count, keys.tally.sum)
    var total = Duration.zero
    for begin in stride(from: 0, to: n, by: 1000) {
      total +=
        timed {
          for i in begin..<min(begin + 1000, n) {
            keys.set(i, (start + i) &* step % written)
            if turn == .eachTime { keys.look() }
          }
        }
        .duration
      keys.look()
    }
    try expect(keys.tally.count - start, equals: n, "values delivered")
    try expect(keys.tally.sum - sum, equals: n * (n - 1) / 2, "the sum of the values")
    return Sample(duration: total)
  }

  private static let looped = Workload(
    "W19.loops",
    "An update of one key, until the loop that waits for it has the value: each key has one",
    per: "update",
    comparedTo: "a cell",
    [
      .ours("a cell", 50_000) { n in
        let cell = BindableActor(-1)
        let loop = loops(1) { _, tally in
          for await value in cell.values { tally.receive(value) }
        } set: { value, _ in
          cell.send(value)
        }
        let sample = try update(n, .eachTime, loop)
        cell.finish()
        loop.look()
        return sample
      },
      .ours("the same of 100,000 keys", 50_000, .times(3, of: "a cell")) { n in
        try update(n, .eachTime, manyLoops, among: 1)
      },
      .ours("one of 100,000 keys", 20_000) { n in try update(n, .eachTime, manyLoops) },
      .baseline("continuations by key under a Mutex", 20_000) { n in
        try update(n, .eachTime, manyContinuations)
      },
    ]
  )

  private static let manyLoops = {
    let prices = BindableDictionary(entries(many))
    return loops(many) { key, tally in
      for await value in prices.source(forKey: key).values { tally.receive(value ?? -1) }
    } set: {
      prices.set($0, forKey: $1)
    }
  }()

  private static let manyContinuations = {
    let prices = KeyWatch(entries(many))
    return loops(many) { key, tally in
      var receiver = prices.receiver(for: key)
      while let value = await receiver.next() { tally.receive(value) }
    } set: {
      prices.set($0, forKey: $1)
    }
  }()

  private static func loops(
    _ count: Int,
    _ loop: @escaping @Sendable (_ key: Int, Tally) async -> Void,
    set: @escaping @Sendable (_ value: Int, _ key: Int) -> Void
  ) -> Watched {
    let (pump, tally) = (Pump(room: count), Tally(until: -2))
    for key in 0..<count { Task(executorPreference: pump) { await loop(key, tally) } }
    pump.run()
    return Watched(count, tally, pump.run, [], set: set)
  }

  // MARK: Merged changes

  private static let whole = "whole dictionaries compared"

  private static let merged = Workload(
    "W19.merged",
    "A busy reader finds out what changed in ten keys, of \(grouped(many))",
    per: "read",
    comparedTo: whole,
    [
      .ours("change, after 1,000 updates", 2_000, .times(0.01, of: whole)) { n in try merge(n, after: 1000) },
      .ours("change, after 1,000,000 updates", 100, .times(0.01, of: whole)) { n in
        try merge(n, after: 1_000_000)
      },
      .baseline("keys noted in a Set", 20_000) { n in
        let prices = NotedDictionary(entries(many))
        var (total, count) = (Duration.zero, 0)
        for round in 0..<n {
          for i in 0..<10 { prices.set(round, forKey: writtenKey(i)) }
          total += timed { count += prices.takeWritten().count }.duration
        }
        try expect(count, equals: 10 * n, "keys that were written")
        return Sample(duration: total)
      },
      .baseline(whole, 10) { n in
        let prices = LockedDictionary(entries(many))
        var (total, count) = (Duration.zero, 0)
        for round in 0..<n {
          let told = prices.value
          for i in 0..<10 { prices.set(round, forKey: writtenKey(i)) }
          total +=
            timed {
              let new = prices.value
              count += new.count { $0.value != told[$0.key] } + told.count { new[$0.key] == nil }
            }.duration
        }
        try expect(count, equals: 10 * n, "keys that were written")
        return Sample(duration: total)
      },
    ]
  )

  private static func writtenKey(_ i: Int) -> Int { i % 10 * (many / 10) }

  // Uses a hundred readers, each of which makes its own comparison, so that the time can be measured.
  private static func merge(_ n: Int, after updates: Int) throws -> Sample {
    let (prices, context, tally) = (BindableDictionary(entries(many)), PumpedContext(), Tally(until: -2))
    let readers = min(n, 100)
    let tokens = (0..<readers).map { _ in
      prices.changes.observe(on: context.context) { change in
        if case .edits(let edits) = change.content { tally.receive(edits.count) }
      }
    }
    context.run()
    let rounds = n / readers
    var total = Duration.zero
    for _ in 0..<rounds {
      for i in 0..<updates { prices.set(i, forKey: writtenKey(i)) }
      total += timed { context.run() }.duration
    }
    try expect(tally.count, equals: rounds * readers, "merged changes")
    try expect(tally.sum, equals: 10 * rounds * readers, "keys that were written")
    withExtendedLifetime(tokens) {}
    return Sample(duration: total * n / (rounds * readers))
  }
}
