import ActorBindings

/// Serves prices to any number of clients, each as fast as its connection allows.
final class PriceServer: Sendable {
  let prices = BindableDictionary<String, Int>()
  let lines = BindableActor(0)

  /// Serves one client, until its task is cancelled, `write` fails, or the server closes.
  func serve(_ symbol: String, to write: @Sendable (String) async throws -> Void) async rethrows {
    for await price in prices.source(forKey: symbol).compactMap(\.self).values {
      try await write("\(symbol) \(price)")
      lines.modify { $0 += 1 }
    }
    if prices.isFinished { try await write("bye") }
  }

  func close() {
    prices.finish()
  }

  var metrics: String { "clients \(prices.observerCount), updates \(prices.version), lines \(lines.value)" }
}
