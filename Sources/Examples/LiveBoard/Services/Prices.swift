package import ActorBindings

/// Holds the price of each symbol, in cents. This service does not know its readers.
package final class Prices: Sendable {
  package let cell: BindableDictionary<String, Int>
  /// The number of trades in a second.
  package let rate = BindableActor(40)
  private let opening: [String: Int]

  package init(
    _ opening: [String: Int] = [
      "ACME": 12_50, "BOLT": 88_10, "CRAN": 7_35, "DUNE": 240_00, "EMBR": 51_75, "FLUX": 33_20,
      "GLOW": 129_90,
      "HALO": 18_05,
    ]
  ) {
    self.opening = opening
    cell = BindableDictionary(opening)
  }

  /// Trades as often as `rate` says, for 10 to 25 milliseconds.
  package func trade() async {
    let rate = rate.value
    let tick = rate > 40 ? 10 : 25
    // At a rate below one trade for each tick, most ticks have none.
    let (whole, part) = (rate * tick).quotientAndRemainder(dividingBy: 1_000)
    for _ in 0..<(whole + (Int.random(in: 0..<1_000) < part ? 1 : 0)) {
      guard let (symbol, opening) = opening.randomElement() else { break }
      let step = Int.random(in: -40...40)
      cell.modify(forKey: symbol) { $0 = price(after: $0 ?? opening, opening: opening, step: step) }
    }
    try? await Task.sleep(for: .milliseconds(tick))
  }
}

/// Returns the price of a symbol after a trade, in cents.
///
/// Besides the step, each trade moves the price towards the opening price, by a hundredth of the distance. Each trade
/// also keeps the price between half and twice the opening price. So prices neither drift away nor overflow, however
/// long the board runs.
///
/// - Parameters:
///   - cents: The price before the trade.
///   - opening: The opening price, in cents.
///   - step: The change of the price in parts of 4,000.
package func price(after cents: Int, opening: Int, step: Int) -> Int {
  let lowest = max(1, opening / 2)
  let highest = max(lowest, opening * 2)
  let current = min(max(cents, lowest), highest)
  let next = current + current * step / 4_000 + (opening - current) / 100
  return min(max(next, lowest), highest)
}

/// Returns all quotes, by symbol.
func quotes(of prices: PersistentDictionary<String, Int>) -> [Quote] {
  prices.map { Quote(symbol: $0.key, cents: $0.value) }.sorted { $0.symbol < $1.symbol }
}

package struct Quote: Sendable, Equatable {
  package var symbol: String
  package var cents: Int
}
