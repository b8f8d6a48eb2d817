import ActorBindings

struct Tick: Sendable {
  let number: Int
  let symbol: String
  let price: Int
}

struct Denied: Error {}

/// Follows the ticks of an exchange, and connects again when the line drops.
final class ReconnectingFeed: Sendable {
  struct Board: Sendable {
    var prices: [String: Int] = [:]
    var last = 0
  }

  let board = BindableActor(Board())
  let link = BindableActor(LinkState.idle)
  /// Whether no tick has come for ten seconds.
  let isSilent: BindableActor<Bool>
  /// A line for the user.
  let status: AnyStateSource<String>

  init<Ticks: AsyncSequence & SendableMetatype>(
    clock: some Clock<Duration> = ContinuousClock(),
    connect: @escaping @Sendable (_ last: Int) async throws -> sending Ticks
  ) where Ticks.Element == Tick {
    let backoff = RetryPolicy.backoff(first: .seconds(1), limit: .seconds(30))
    isSilent = BindableActor(initially: false, of: board.isSilent(for: .seconds(10), clock: clock))
    status = combineLatest(board, link, isSilent).map { board, link, isSilent in
      if !link.isLive { return "\(link), \(board.prices.count) old prices" }
      return isSilent ? "no ticks, \(board.prices.count) old prices" : "\(board.prices.count) prices"
    }
    .erased()
    board.follow(
      retry: RetryPolicy { attempt, error in error is Denied ? nil : backoff.delay(attempt, error) },
      clock: clock,
      reopensAtEnd: true,
      link: link,
      opening: { [weak board] in try await connect(board?.value.last ?? 0) },
      applying: { board, tick in
        guard tick.number > board.last else { return }  // the exchange repeats ticks
        board.prices[tick.symbol] = tick.price
        board.last = tick.number
      }
    )
  }
}
