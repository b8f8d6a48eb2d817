import ActorBindings
import Testing

// The code between the markers is shown in the README; the suite `ReadmeTests` compares the two.

struct Exchange: Sendable {
  let orders = Recorder<Int>()
  let ticks = AsyncStream<Double> { continuation in
    continuation.yield(12.5)
    continuation.finish()
  }

  func history() async throws -> [Double] { [11, 12] }
  func order(_ amount: Int) async throws { orders.record(amount) }
}

// README
/// Holds state, and knows no view that shows it. (`Exchange` is your own type: a sequence and two async functions.)
final class Quotes: Sendable {
  let newest: BindableActor<Double>
  let history: LoadingCell<[Double]>
  let order: AsyncAction<Int, Void>

  init(_ exchange: Exchange) {
    // Follows any `AsyncSequence`, until the cell ends.
    newest = BindableActor(0, following: exchange.ticks)
    // Loads on the first request, tries again after a failure; the newest request wins.
    history = LoadingCell(retry: .backoff(attempts: 5)) { try await exchange.history() }
    // Runs one order at a time; `isExecuting`, `isEnabled` and `errors` can be bound.
    order = AsyncAction { amount in try await exchange.order(amount) }
  }
}
// end

@Suite
struct ServicesExample {
  @Test
  func `a service follows, loads and acts`() async throws {
    let exchange = Exchange()
    let quotes = Quotes(exchange)
    _ = await quotes.newest.first { $0 == 12.5 }
    #expect(try await quotes.history.load() == [11, 12])
    try await quotes.order.execute(7)
    #expect(exchange.orders.elements == [7])
  }
}
