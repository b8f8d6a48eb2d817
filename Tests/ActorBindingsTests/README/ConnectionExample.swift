import ActorBindings
import Testing

// README
/// A client that follows one price, as fast as its network connection allows.
actor Connection {
  private let send: @Sendable (String) async -> Void
  private let bag = DisposeBag()
  private var currency: String

  init(currency: BindableActor<String>, send: @escaping @Sendable (String) async -> Void) {
    self.send = send
    self.currency = currency.value
    // Runs on this actor, which the cell holds weakly. Ends with the actor, or earlier, with the bag.
    currency.observe(with: self) { connection, name in connection.currency = name }.store(in: bag)
  }

  func serve(_ symbol: String, of prices: BindableActor<[String: Int]>) async {
    // Both operators run inside this loop: they add no task, no buffer and no hop.
    for await price in prices.compactMap({ $0[symbol] }).removeDuplicates().updates() {
      await send("\(symbol) \(price.value) \(currency), skipped \(price.skipped)")
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
  func `a slow connection receives the newest price, and its observation ends with its bag`() async {
    let (prices, currency) = (BindableActor(["ACME": 1, "OTHER": 1]), BindableActor("EUR"))
    let sent = Recorder<String>()
    let line = Gate()
    let connection = Connection(currency: currency) { text in
      sent.record(text)
      await line.passed()
    }
    let serving = Task { await connection.serve("ACME", of: prices) }
    await sent.reached(1)

    // While the client is slow, only the newest price waits.
    for price in 2...9 { prices.modify { $0["ACME"] = price } }
    line.open()
    await sent.reached(2)
    #expect(sent.elements == ["ACME 1 EUR, skipped 0", "ACME 9 EUR, skipped 7"])

    // The price of another symbol is not sent.
    await prices.parked(1)
    prices.modify { $0["OTHER"] = 2 }
    await prices.parked(1)
    currency.send("USD")
    await currency.settled()
    prices.modify { $0["ACME"] = 10 }
    await sent.reached(3)
    #expect(sent.last == "ACME 10 USD, skipped 0")

    #expect(currency.observerCount == 1)
    await connection.close()
    #expect(currency.observerCount == 0)
    serving.cancel()
    await serving.value
    #expect(prices.observerCount == 0)
  }

  @Test
  func `a connection that is released leaves nothing behind`() async {
    let (prices, currency) = (BindableActor(["ACME": 1]), BindableActor("EUR"))
    let sent = Recorder<String>()
    var connection: Connection? = Connection(currency: currency) { sent.record($0) }
    let serving = connection.map { connection in Task { await connection.serve("ACME", of: prices) } }
    await sent.reached(1)
    serving?.cancel()
    await serving?.value
    weak let gone = connection
    connection = nil
    #expect(gone == nil)
    currency.send("USD")
    await currency.settled()
    #expect(currency.observerCount == 0)
    #expect(prices.observerCount == 0)
  }
}
