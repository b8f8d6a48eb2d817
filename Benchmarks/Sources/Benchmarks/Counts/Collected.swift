import ActorBindings

/// Counts of cells that hold collections.
enum Collected {
  static let counts = [
    Count(
      "allocations.append",
      "an append to an array, no readers",
      {
        let board = BindableArray(0..<100_000)
        return rounded(
          allocations(per: 1000) {
            for i in 0..<1000 { board.append(i) }
          }
        )
      }
    ),
    Count(
      "allocations.append.held",
      "an append to an array of 100,000, a copy of which is held",
      {
        let board = BindableArray(0..<100_000)
        var found = 0.0
        for i in 0..<1000 {
          let copy = board.value
          found += allocations(per: 1000) { board.append(i) }
          withExtendedLifetime(copy) {}
        }
        return rounded(found)
      }
    ),
    Count(
      "allocations.changes",
      "an append to an array of 100,000, until a reader of changes has it",
      {
        let (board, context, tally) = (BindableArray(0..<100_000), PumpedContext(), Tally(until: -2))
        let token = board.changes.observe(on: context.context) { change in
          if case .edits(let edits) = change.content { tally.receive(edits.count) }
        }
        context.run()
        let found = allocations(per: 1000) {
          for i in 0..<1000 {
            board.append(i)
            context.run()
          }
        }
        try expect(tally.sum, equals: 1000, "edits")
        token.cancel()
        return rounded(found)
      },
      [
        "array and a log under a Mutex": {
          let (context, tally) = (PumpedContext(), Tally(until: -2))
          let array = LoggedArray(0..<100_000, context.schedule) { tally.receive($0.count) }
          let found = allocations(per: 1000) {
            for i in 0..<1000 {
              array.append(i)
              context.run()
            }
          }
          try expect(tally.sum, equals: 1000, "edits")
          return found
        }
      ]
    ),
    Count(
      "allocations.set.held",
      "a value for an existing key, one of 10,000, a copy of which is held",
      {
        let prices = BindableDictionary(entries)
        var found = 0.0
        for number in 0..<many {
          let copy = prices.value
          found += allocations(per: 1) { prices.set(number, forKey: Ticker(number: number)) }
          withExtendedLifetime(copy) {}
        }
        return found / Double(many)
      }
    ),
    Count(
      "allocations.key.wake",
      "a value for a key, one of 10,000, that wakes its watcher's context",
      {
        let (prices, context, tally) = (BindableDictionary(entries), PumpedContext(), Tally(until: -2))
        let tokens = entries.keys.map { key in
          prices.source(forKey: key).observe(on: context.context) { tally.receive($0 ?? -1) }
        }
        context.run()
        let found = allocations(per: many) {
          for number in 0..<many {
            prices.set(number, forKey: Ticker(number: number))
            context.run()
          }
        }
        try expect(tally.count, equals: many, "values delivered")
        withExtendedLifetime(tokens) {}
        return found
      },
      [
        "closures by key under a Mutex": {
          let (context, tally) = (PumpedContext(), Tally(until: -2))
          let prices = KeyHandlers(
            Dictionary(uniqueKeysWithValues: (0..<many).map { ($0, -1) }),
            context.schedule
          )
          for key in 0..<many { prices.add(for: key, tally.handler) }
          let found = allocations(per: many) {
            for key in 0..<many {
              prices.set(key, forKey: key)
              context.run()
            }
          }
          try expect(tally.count, equals: many, "values delivered")
          return found
        }
      ]
    ),
    Count(
      "bytes.element",
      "an Int in an array",
      {
        let board = BindableArray<Int>()
        return bytes(per: many) { board.append(contentsOf: 0..<many) }
      },
      [
        "Array": {
          var array: [Int] = []
          return bytes(per: many) { array.append(contentsOf: 0..<many) }
        }
      ]
    ),
    Count(
      "bytes.key",
      "a key and a value in a dictionary",
      {
        let prices = BindableDictionary<Ticker, Int>()
        return bytes(per: many) {
          prices.modify { prices in
            for number in 0..<many { prices[Ticker(number: number)] = number }
          }
        }
      },
      [
        "Dictionary": {
          var prices: [Ticker: Int] = [:]
          let found = bytes(per: many) {
            for number in 0..<many { prices[Ticker(number: number)] = number }
          }
          try expect(prices.count, equals: many, "keys")
          return found
        }
      ]
    ),
    Count(
      "bytes.key.watcher",
      "an idle watcher of a key, with its cell and its token",
      {
        let (prices, context, tally) = (BindableDictionary(entries), PumpedContext(), Tally(until: -2))
        let on = context.context
        var tokens: [BindingToken] = []
        tokens.reserveCapacity(many)
        return bytes(per: many) {
          for number in 0..<many {
            tokens.append(
              prices.source(forKey: Ticker(number: number)).observe(on: on) { tally.receive($0 ?? -1) }
            )
            // Runs the jobs one by one: a longer list of jobs in the context would be counted too.
            context.run()
          }
        }
      },
      [
        "closures by key under a Mutex": {
          let (context, tally) = (PumpedContext(), Tally(until: -2))
          let prices = KeyHandlers([:], context.schedule)
          return bytes(per: many) {
            for key in 0..<many { prices.add(for: key) { tally.receive($0) } }
          }
        }
      ]
    ),
  ]

  static func watchers(
    of prices: BindableDictionary<Ticker, Int>,
    on context: DeliveryContext,
    except free: Int? = nil,
    _ handler: @escaping @Sendable (Int?) -> Void
  ) -> [BindingToken] {
    (0..<many).filter { $0 != free }.map {
      prices.source(forKey: Ticker(number: $0)).observe(on: context, handler)
    }
  }

  static let many = 10_000

  // Rounds to hundredths: the allocator sometimes returns a larger chunk than necessary, and then the content of the
  // chunk is reallocated later.
  private static func rounded(_ found: Double) -> Double { (found * 100).rounded() / 100 }

  static var entries: [Ticker: Int] {
    Dictionary(uniqueKeysWithValues: (0..<many).map { (Ticker(number: $0), -1) })
  }

  /// A key whose hash is the same in each process, so that the counts are the same too.
  struct Ticker: Hashable, Sendable {
    let number: Int

    func hash(into hasher: inout Hasher) { hasher.combine(number) }

    var hashValue: Int {
      var bits = UInt(bitPattern: number) &* 0x9e37_79b9_7f4a_7c15
      bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
      bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
      return Int(bitPattern: bits ^ (bits >> 31))
    }
  }
}
