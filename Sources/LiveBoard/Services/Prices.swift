package import ActorBindings

/// What each symbol costs, in cents. It knows nobody who follows it.
package final class Prices: Sendable {
  package let cell: BindableDictionary<String, Int>

  package init(
    _ opening: [String: Int] = [
      "ACME": 12_50, "BOLT": 88_10, "CRAN": 7_35, "DUNE": 240_00, "EMBR": 51_75, "FLUX": 33_20,
      "GLOW": 129_90,
      "HALO": 18_05,
    ]
  ) {
    cell = BindableDictionary(opening)
  }

  /// All quotes, by symbol.
  package var quotes: some StateSource<[Quote]> {
    cell.map { prices in
      prices.map { Quote(symbol: $0.key, cents: $0.value) }.sorted { $0.symbol < $1.symbol }
    }
  }

  /// Trades until the task is cancelled, or the cell has ended.
  package func trade() async {
    let symbols = Array(cell.value.keys)
    while !Task.isCancelled, !cell.isFinished {
      let symbol = symbols.randomElement() ?? ""
      let step = Int.random(in: -40...41)
      cell.modify(symbol) { cents in cents = max(1_00, (cents ?? 0) + (cents ?? 0) * step / 4000) }
      try? await Task.sleep(for: .milliseconds(25))
    }
  }
}

package struct Quote: Sendable, Equatable {
  package var symbol: String
  package var cents: Int
}
