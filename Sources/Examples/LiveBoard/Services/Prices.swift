package import ActorBindings

/// Holds the price of each symbol, in cents. This service does not know its readers.
package final class Prices: Sendable {
  package let cell: BindableDictionary<String, Int>
  package static let highestRate = 100_000
  /// The number of trades in a second.
  package let rate = BindableActor(40).named("rate")
  private let models: [String: PriceModel]

  package init(
    _ opening: [String: Int] = [
      "ACME": 12_50, "BOLT": 88_10, "CRAN": 7_35, "DUNE": 240_00, "EMBR": 51_75, "FLUX": 33_20,
      "GLOW": 129_90,
      "HALO": 18_05,
    ]
  ) {
    models = opening.mapValues { PriceModel(opening: $0) }
    cell = BindableDictionary(opening).named("prices")
  }

  /// Trades until the task is cancelled.
  package func run() async {
    var (last, generator) = (ContinuousClock.now, SystemRandomNumberGenerator())
    while (try? await Task.sleep(for: .milliseconds(rate.value > 40 ? 10 : 25))) != nil {
      let now = ContinuousClock.now
      trade(for: now - last, using: &generator)
      last = now
    }
  }

  /// Does the trades that are due after some time.
  package func trade(for time: Duration, using generator: inout some RandomNumberGenerator) {
    for _ in 0..<tradesDue(after: time, chance: .random(in: 0..<1, using: &generator)) {
      guard let (symbol, model) = models.randomElement(using: &generator) else { break }
      let step = Int.random(in: -40...40, using: &generator)
      cell.modify(forKey: symbol) { $0 = model.price(after: $0 ?? model.opening, step: step) }
    }
  }

  /// Returns how many trades are due after some time. A busy machine wakes this service late, so the time is measured.
  /// But at most a tenth of the highest rate is due at once, so that a pause of the machine causes no long burst.
  ///
  /// - Parameter chance: A number from 0 to 1, for the part of a trade: half a trade is one trade in half of the calls.
  package func tradesDue(after time: Duration, chance: Double) -> Int {
    let seconds = min(max(time / .seconds(1), 0), 1)
    let due = Double(min(max(rate.value, 0), Prices.highestRate)) * seconds + chance
    return Int(min(due, Double(Prices.highestRate / 10)))
  }
}

/// Returns all quotes, by symbol.
func quotes(of prices: PersistentDictionary<String, Int>) -> [Quote] {
  prices.map { Quote(symbol: $0.key, cents: $0.value) }.sorted { $0.symbol < $1.symbol }
}

package struct Quote: Sendable, Equatable {
  package var symbol: String
  package var cents: Int
}
