import ActorBindings
import ActorBindingsTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ReconnectingFeedTests {
  struct Dropped: Error {}

  private let clock = ManualClock()
  private let exchange = ScriptedFeed<Tick>()
  private let gate = Gate()
  private let requests = BindableActor<[Int]>([])
  private let feed: ReconnectingFeed

  init() {
    gate.open()
    feed = ReconnectingFeed(clock: clock) { [exchange, gate, requests] last in
      requests.modify { $0.append(last) }
      try await gate.wait()
      return try await exchange.open()
    }
  }

  private func send(_ number: Int, _ symbol: String, _ price: Int) async throws {
    try await exchange.send(Tick(number: number, symbol: symbol, price: price))
  }

  private func drop(_ error: (any Error)? = Dropped()) async throws {
    try await exchange.end(throwing: error)
    try await quiesce(feed.board, feed.link)
  }

  @Test
  func `ticks change prices`() async throws {
    try await expectValue("0 prices", of: feed.status)
    try await send(1, "ACME", 12)
    try await send(5, "INIT", 40)
    try await send(6, "ACME", 13)
    #expect(feed.board.value.prices == ["ACME": 13, "INIT": 40])
    #expect(feed.status.value == "2 prices")
    #expect(requests.value == [0])
  }

  @Test(arguments: [Dropped(), nil])
  func `a dropped line keeps the prices, and is opened again after a second`(error: Dropped?) async throws {
    try await send(1, "ACME", 12)
    try await send(5, "INIT", 40)
    try await drop(error)
    #expect(feed.status.value == "waiting (attempt 2 in 1.0 seconds), 2 old prices")
    try await clock.advance(by: .milliseconds(999))
    #expect(requests.value == [0])

    gate.close()
    try await clock.advance(by: .milliseconds(1))
    #expect(requests.value == [0, 5])
    #expect(feed.status.value == "connecting (attempt 2), 2 old prices")
    gate.open()
    try await expectValue("2 prices", of: feed.status)

    // The exchange repeats ticks.
    for number in 4...5 { try await send(number, "INIT", number) }
    try await send(6, "ACME", 13)
    #expect(feed.board.value.prices == ["ACME": 13, "INIT": 40])
  }

  @Test
  func `pauses double up to half a minute, and begin again after a tick`() async throws {
    try await expectValue("0 prices", of: feed.status)
    exchange.refuse(with: Dropped())
    try await drop()
    for (attempt, seconds) in [1, 2, 4, 8, 16, 30, 30].enumerated() {
      try await clock.advance(by: .seconds(seconds) - .milliseconds(1))
      #expect(requests.value.count == attempt + 1)
      if attempt == 6 { exchange.accept() }
      try await clock.advance(by: .milliseconds(1))
      #expect(requests.value.count == attempt + 2)
    }
    #expect(feed.status.value == "no ticks, 0 old prices")
    try await send(1, "ACME", 12)
    try await expectValue("1 prices", of: feed.status)
    try await drop()
    #expect(feed.status.value == "waiting (attempt 2 in 1.0 seconds), 1 old prices")
  }

  @Test
  func `a feed that is denied ends`() async throws {
    try await expectValue("0 prices", of: feed.status)
    exchange.refuse(with: Denied())
    try await drop()
    try await clock.advance(by: .seconds(100))
    #expect(feed.status.value == "ended: Denied(), 0 old prices")
    #expect(requests.value == [0, 0])
  }

  @Test
  func `no tick for ten seconds makes prices old`() async throws {
    try await expectValue("0 prices", of: feed.status)
    try await clock.advance(by: .seconds(9))
    try await send(1, "ACME", 12)
    #expect(feed.status.value == "1 prices")
    try await clock.advance(by: .milliseconds(9_999))
    #expect(feed.status.value == "1 prices")
    try await clock.advance(by: .milliseconds(1))
    #expect(feed.status.value == "no ticks, 1 old prices")
    try await send(2, "ACME", 13)
    try await expectValue("1 prices", of: feed.status)
  }

  @Test
  func `a feed that is released closes its line`() async throws {
    let exchange = ScriptedFeed<Tick>()
    try await expectReleased { objects in
      let feed = objects.track(ReconnectingFeed(clock: clock) { _ in try await exchange.open() })
      try await exchange.send(Tick(number: 1, symbol: "ACME", price: 12))
      #expect(feed.board.value.last == 1)
    }
    try await expectValue(false, of: exchange.isOpen)
  }
}
