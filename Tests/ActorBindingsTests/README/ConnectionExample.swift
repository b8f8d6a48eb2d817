import ActorBindings
import Testing

// README
/// A client that follows one price, as fast as its line allows.
actor Connection {
  private let send: @Sendable (String) async -> Void
  private let bag = DisposeBag()
  private var isOpen = true

  init(send: @escaping @Sendable (String) async -> Void) {
    self.send = send
  }

  func serve(
    _ symbol: String,
    of prices: BindableActor<[String: Int]>,
    while market: BindableActor<Bool>
  ) async {
    // Runs on this actor, and ends with it: the cell holds it weakly. Or sooner, with the bag.
    market.observe(with: self) { connection, isOpen in connection.isOpen = isOpen }.store(in: bag)

    // Both operators run inside this loop: no task, no buffer, no hop.
    for await price in prices.compactMap({ $0[symbol] }).removeDuplicates().updates() where isOpen {
      await send("\(symbol) \(price.value), skipped \(price.skipped)")
    }
  }

  func close() {
    bag.dispose()
  }
}
// end

@Suite
struct ConnectionExample {
  @Test
  func `a slow connection is sent the newest price, and its observation ends with its bag`() async {
    let (prices, market) = (BindableActor(["ACME": 1, "OTHER": 1]), BindableActor(true))
    let sent = Recorder<String>()
    let line = Gate()
    let connection = Connection { text in
      sent.record(text)
      await line.passed()
    }
    let serving = Task { await connection.serve("ACME", of: prices, while: market) }
    await sent.reached(1)

    // While the line is slow nothing waits but the newest price.
    for price in 2...9 { prices.modify { $0["ACME"] = price } }
    line.open()
    await sent.reached(2)
    #expect(sent.elements == ["ACME 1, skipped 0", "ACME 9, skipped 7"])

    // Another symbol's price is none of its business.
    await prices.parked(1)
    prices.modify { $0["OTHER"] = 2 }
    await prices.parked(1)
    prices.modify { $0["ACME"] = 10 }
    await sent.reached(3)
    #expect(sent.last == "ACME 10, skipped 0")

    await market.settled()
    #expect(market.observerCount == 1)
    await connection.close()
    #expect(market.observerCount == 0)
    serving.cancel()
    await serving.value
    #expect(prices.observerCount == 0)
  }

  @Test
  func `a connection sends nothing while the market is closed`() async {
    let (prices, market) = (BindableActor(["ACME": 1]), BindableActor(true))
    let sent = Recorder<String>()
    let connection = Connection { sent.record($0) }
    let serving = Task { await connection.serve("ACME", of: prices, while: market) }
    await sent.reached(1)
    await prices.parked(1)

    market.send(false)
    await market.settled()
    prices.send(["ACME": 2])
    await prices.parked(1)
    market.send(true)
    await market.settled()
    prices.send(["ACME": 3])
    await sent.reached(2)
    #expect(sent.elements == ["ACME 1, skipped 0", "ACME 3, skipped 0"])
    prices.finish()
    await serving.value
  }
}
