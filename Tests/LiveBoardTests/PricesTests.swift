import ActorBindings
import LiveBoard
import Testing
import WebServer

/// A generator that gives the same numbers in each run, and is faster than the system's generator.
private struct Generator: RandomNumberGenerator {
  var state: UInt64 = 1

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state
  }

  /// Returns a step from -40 to 40.
  mutating func step() -> Int { Int((next() >> 33) % 81) - 40 }
}

@Suite struct PricesTests {
  @Test(arguments: [7_35, 240_00])
  func `ten million trades leave a price near its opening price`(_ opening: Int) {
    let (model, trades) = (PriceModel(opening: opening), 5_000_000)
    var generator = Generator()
    var (cents, lowest, highest, sum) = (opening, opening, opening, 0)
    for _ in 0..<trades {
      cents = model.price(after: cents, step: generator.step())
      if cents < lowest { lowest = cents }
      if cents > highest { highest = cents }
      sum += cents
    }
    #expect(lowest >= model.lowest && lowest < opening)
    #expect(highest <= model.highest && highest > opening)
    let mean = sum / trades
    #expect(abs(mean - opening) < opening / 20, "it costs \(mean) on average, and \(opening) at first")
  }

  // A week has 168 times as many trades, and takes a minute in debug: to try it, change `hours`.
  @Test func `an hour of trades, each through the cell, leaves all prices near their opening prices`() {
    let (prices, hours) = (Prices(), 1)
    let opening = prices.cell.value
    var (generator, moved) = (Generator(), Set<String>())
    for second in 1...hours * 3_600 {
      prices.trade(for: .seconds(1), using: &generator)
      for (symbol, cents) in prices.cell.value {
        let first = opening[symbol] ?? 0
        guard 2 * cents >= first, cents <= 2 * first else {
          Issue.record("\(symbol) costs \(cents) after \(second) s, and \(first) at first")
          return
        }
        if cents != first { moved.insert(symbol) }
      }
    }
    #expect(prices.cell.version == UInt64(40 * hours * 3_600))
    #expect(moved == Set(opening.keys))
  }

  @Test(arguments: [Int.min, 0, 1, 100, .max])
  func `no price and no step makes the model trap or leave its bounds`(_ opening: Int) {
    let model = PriceModel(opening: opening)
    for cents in [Int.min, -1, 0, model.lowest, model.opening, model.highest, .max] {
      for step in [Int.min, -4_000, 0, 4_000, .max] {
        let price = model.price(after: cents, step: step)
        let isBounded = price >= max(1, model.lowest) && price <= model.highest
        #expect(isBounded, "\(price) after \(cents), with a step of \(step)")
      }
    }
  }

  @Test func `as many trades are due as the rate says, also when the service wakes late`() {
    let prices = Prices()
    #expect(prices.tradesDue(after: .seconds(1), chance: 0.5) == 40)
    #expect(prices.tradesDue(after: .milliseconds(250), chance: 0) == 10)
    // Half a trade.
    #expect(
      [0.1, 0.4, 0.6, 0.9].map { prices.tradesDue(after: .microseconds(12_500), chance: $0) } == [0, 0, 1, 1]
    )
    #expect(prices.tradesDue(after: .seconds(-1), chance: 0.9) == 0)
    prices.rate.send(10_000)
    #expect(prices.tradesDue(after: .milliseconds(10), chance: 0.5) == 100)
    prices.rate.send(Prices.highestRate)
    #expect(prices.tradesDue(after: .milliseconds(90), chance: 0.5) == 9_000)
    for rate in [100_000, .max] {
      prices.rate.send(rate)
      #expect(prices.tradesDue(after: .seconds(1_000_000_000), chance: 0.5) == 10_000)
    }
    prices.rate.send(.min)
    #expect(prices.tradesDue(after: .seconds(1), chance: 0.5) == 0)
  }

  /// The most by which a counter of the board can grow in a year.
  private static let yearly: [(name: String, count: Double)] = {
    let year = 365.0 * 24 * 60 * 60
    let limits = Limits()
    // Each source of the feed sends at most ten times in a second.
    let events = Double(limits.connections) * 100 * year
    return [
      ("events", events),
      ("writes", 2 * Double(Prices.highestRate) * year),
      // A client skips at most what the feed sends.
      ("skipped", events),
      // A connection takes the server more than a microsecond.
      ("accepted", 1_000_000 * year),
    ]
  }()

  @Test func `no counter of the board overflows in a century`() {
    for (name, count) in Self.yearly { #expect(count * 100 < Double(Int.max), "\(name): \(count)") }
  }
}
