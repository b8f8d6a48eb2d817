import ActorBindings
import Reporting

// Watchers that run where the writer is.
extension Keying {
  // The number of keys in the workloads whose handlers run where the writer is.
  private static let several = 10_000

  private static let here = DeliveryContext.immediate
  // A context that runs its work at once, as `.immediate` does.
  private static let customContext = DeliveryContext(id: several) { $0() }

  static let inPlace = Workload(
    "W19.inPlace",
    "An update of one key of \(grouped(several)), whose watcher is called where the writer is: each key has one",
    per: "update",
    comparedTo: "a cell",
    [
      .ours("a cell", 100_000) { n in
        let (tally, cell) = (Tally(until: -2), BindableActor(-1))
        let token = cell.observe(on: here, tally.handler)
        return try update(n, .eachTime, Watched(1, tally, {}, [token]) { value, _ in cell.send(value) })
      },
      .ours("a key", 100_000) { n in
        try update(n, .eachTime, watchedInPlace(several))
      },
      .ours("a key, custom context", 100_000) { n in
        try update(n, .eachTime, watchedInPlace(several, on: customContext))
      },
      .baseline("closures by key under a Mutex", 100_000) { n in
        try update(n, .eachTime, watchedByHand(several))
      },
    ]
  )

  /// Keys, each with a watcher that is called where the writer is.
  static func watchedInPlace(_ count: Int, on context: DeliveryContext = .immediate) -> Watched {
    let (tally, prices) = (Tally(until: -2), BindableDictionary(entries(count)))
    let tokens = watchers(of: prices, count, on: context) { tally.receive($0 ?? -1) }
    return Watched(count, tally, {}, tokens) { prices.set($0, forKey: $1) }
  }

  /// The same by hand.
  static func watchedByHand(_ count: Int) -> Watched {
    let (tally, prices) = (Tally(until: -2), KeyHandlers(entries(count)) { $0() })
    for key in 0..<count { prices.add(for: key, tally.handler) }
    return Watched(count, tally, {}, []) { prices.set($0, forKey: $1) }
  }

  private static func watchers(
    of prices: BindableDictionary<Int, Int>,
    _ count: Int = several,
    on context: DeliveryContext = here,
    _ handler: @escaping @Sendable (Int?) -> Void
  ) -> [BindingToken] {
    (0..<count).map { prices.source(forKey: $0).observe(on: context, handler) }
  }

  static let binding = Workload(
    "W19.bind",
    "Observing one key of \(grouped(several)), and cancelling: each key has a watcher already",
    per: "pair",
    comparedTo: "a cell",
    [
      .ours("a cell", 50_000) { n in
        let cell = BindableActor(-1)
        let token = cell.observe(on: here) { _ in }
        let sample = timed {
          for _ in 0..<n { cell.observe(on: here) { _ in }.cancel() }
        }
        try expect(cell.observerCount, equals: 1, "observers that are left")
        withExtendedLifetime(token) {}
        return sample
      },
      .ours("a key", 50_000) { n in try bind(n, on: here) },
      .ours("a key, custom context", 50_000) { n in try bind(n, on: customContext) },
      .baseline("closures by key under a Mutex", 100_000) { n in
        let prices = KeyHandlers(entries(several)) { $0() }
        for key in 0..<several { prices.add(for: key) { _ in } }
        return timed {
          for i in 0..<n {
            let key = i &* step % several
            prices.add(for: key) { _ in }
            prices.removeLast(for: key)
          }
        }
      },
    ]
  )

  private static func bind(_ n: Int, on context: DeliveryContext) throws -> Sample {
    let prices = BindableDictionary(entries(several))
    let tokens = watchers(of: prices, on: context) { _ in }
    let sample = timed {
      for i in 0..<n {
        prices.source(forKey: i &* step % several).observe(on: context) { _ in }.cancel()
      }
    }
    try expect(prices.observerCount, equals: several, "observers that are left")
    withExtendedLifetime(tokens) {}
    return sample
  }
}
