import ActorBindings
import Testing

// The lines between the markers stand in the README; `ReadmeTests` compares them.

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
/// Holds state, and knows nobody who shows it. (`Exchange` is your client of one: a sequence and two async functions.)
final class Quotes: Sendable {
  let newest: BindableActor<Double>
  let history: LoadingCell<[Double]>
  let order: AsyncAction<Int, Void>

  init(_ exchange: Exchange) {
    // Any `AsyncSequence`; it ends with the cell.
    newest = BindableActor(0, following: exchange.ticks)
    // Loaded once, by the first who asks; tried again; the newest request wins.
    history = LoadingCell(retry: .backoff(attempts: 5)) { try await exchange.history() }
    // One at a time: `isExecuting`, `isEnabled` and `errors` are there to be bound.
    order = AsyncAction { amount in try await exchange.order(amount) }
  }
}
// end

@Suite
struct ServicesExample {
  @Test
  func `a service`() async throws {
    let exchange = Exchange()
    let quotes = Quotes(exchange)
    _ = await quotes.newest.first { $0 == 12.5 }
    #expect(try await quotes.history.load() == [11, 12])
    try await quotes.order.execute(7)
    #expect(exchange.orders.elements == [7])
  }
}
