package import ActorBindings

/// Holds the price of each symbol, in cents. This service does not know its readers.
package final class Prices: Sendable {
  package let cell: BindableDictionary<String, Int>
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

  /// All quotes, by symbol.
  package var quotes: some StateSource<[Quote]> {
    cell.map { prices in
      prices.map { Quote(symbol: $0.key, cents: $0.value) }.sorted { $0.symbol < $1.symbol }
    }
  }

  /// Trades until the task is cancelled or the cell has ended.
  package func trade() async {
    while !Task.isCancelled, !cell.isFinished, let (symbol, opening) = opening.randomElement() {
      let step = Int.random(in: -40...40)
      cell.modify(forKey: symbol) { $0 = price(after: $0 ?? opening, opening: opening, step: step) }
      try? await Task.sleep(for: .milliseconds(25))
    }
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

package struct Quote: Sendable, Equatable {
  package var symbol: String
  package var cents: Int
}
