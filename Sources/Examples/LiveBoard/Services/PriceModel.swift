/// How the price of a symbol moves: a random walk that returns to the opening price.
///
/// Besides its random step, each trade moves the price towards the opening price, by a hundredth of the distance. Each
/// trade also keeps the price between half and twice the opening price. So prices neither drift away nor overflow,
/// however long the board runs. All prices are in cents.
package struct PriceModel: Sendable, Equatable {
  package let opening: Int
  package let lowest: Int
  package let highest: Int

  /// - Parameter opening: The opening price. The model uses the nearest price from a cent to ten billion.
  package init(opening: Int) {
    self.opening = min(max(opening, 1), 1_000_000_000_000)
    lowest = max(1, self.opening / 2)
    highest = self.opening * 2
  }

  /// Returns the price after a trade.
  ///
  /// - Parameters:
  ///   - cents: The price before the trade. A price outside the bounds counts as the nearest bound.
  ///   - step: The change of the price in parts of 4,000. A step beyond 4,000 counts as 4,000.
  package func price(after cents: Int, step: Int) -> Int {
    let current = bounded(cents)
    return bounded(current + current * min(max(step, -4_000), 4_000) / 4_000 + (opening - current) / 100)
  }

  private func bounded(_ cents: Int) -> Int { min(max(cents, lowest), highest) }
}
