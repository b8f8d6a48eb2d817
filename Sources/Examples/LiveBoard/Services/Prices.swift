package import ActorBindings

/// Holds the price of each symbol, in cents. This service does not know its readers.
package final class Prices: Sendable {
  package let cell: BindableDictionary<String, Int>
  package static let highestRate = 100_000
  /// The number of trades in a second.
  package let rate = BindableActor(40)
  private let models: [String: PriceModel]

  package init(
    _ opening: [String: Int] = [
      "ACME": 12_50, "BOLT": 88_10, "CRAN": 7_35, "DUNE": 240_00, "EMBR": 51_75, "FLUX": 33_20,
      "GLOW": 129_90,
      "HALO": 18_05,
    ]
  ) {
    models = opening.mapValues { PriceModel(opening: $0) }
    cell = BindableDictionary(opening)
  }

  /// Trades as often as `rate` says, for 10 to 25 milliseconds.
  package func trade() async {
    let rate = min(max(rate.value, 0), Prices.highestRate)
    let tick = rate > 40 ? 10 : 25
    // At a rate below one trade for each tick, most ticks have none.
    let (whole, part) = (rate * tick).quotientAndRemainder(dividingBy: 1_000)
    for _ in 0..<(whole + (Int.random(in: 0..<1_000) < part ? 1 : 0)) {
      guard let (symbol, model) = models.randomElement() else { break }
      let step = Int.random(in: -40...40)
      cell.modify(forKey: symbol) { $0 = model.price(after: $0 ?? model.opening, step: step) }
    }
    try? await Task.sleep(for: .milliseconds(tick))
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
