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
    var generator = Generator()
    var (cents, lowest, highest, sum) = (opening, opening, opening, 0)
    for _ in 0..<5_000_000 {
      cents = price(after: cents, opening: opening, step: generator.step())
      if cents < lowest { lowest = cents }
      if cents > highest { highest = cents }
      sum += cents
    }
    #expect(lowest >= opening / 2 && lowest < opening)
    #expect(highest <= opening * 2 && highest > opening)
    let mean = sum / 5_000_000
    #expect(abs(mean - opening) < opening / 20, "it costs \(mean) on average, and \(opening) at first")
  }

  @Test func `a price that was set far away returns, without an overflow`() {
    #expect(price(after: .max, opening: 100, step: 40) <= 200)
    #expect(price(after: .min, opening: 100, step: -40) >= 50)
    #expect(price(after: 0, opening: 1, step: 40) >= 1)
  }

  /// The most by which a counter of the board can grow in a year.
  private static let yearly: [(name: String, count: Double)] = {
    let year = 365.0 * 24 * 60 * 60
    let limits = Limits()
    // Ticker, agenda, audience and condition: each sends at most ten times in a second.
    let events = Double(limits.connections) * 40 * year
    return [
      ("events", events),
      // A price is written forty times in a second, jobs and sessions less often than connections come.
      ("skipped", events * 40),
      // A connection takes the server more than a microsecond.
      ("accepted", 1_000_000 * year),
    ]
  }()

  @Test func `no counter of the board overflows in a year`() {
    for (name, count) in Self.yearly { #expect(count * 100 < Double(Int.max), "\(name): \(count)") }
  }
}
