import ActorBindings
import ActorBindingsTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ReconnectingFeedTests {
  struct Dropped: Error {}

  /// Accepts connections, or refuses them, as the test says. Each call of `connect` waits at the gate.
  private final class Exchange: Sendable {
    typealias Ticks = AsyncThrowingStream<Tick, any Error>

    let gate = Gate()
    let requests = BindableActor<[Int]>([])
    let isClosed = BindableActor(false)
    let refusal = BindableActor<(any Error)?>(nil)
    private let line = BindableActor<Ticks.Continuation?>(nil)

    init() {
      gate.open()
    }

    func connect(_ last: Int) async throws -> Ticks {
      requests.modify { $0.append(last) }
      try await gate.wait()
      if let error = refusal.value { throw error }
      let (ticks, line) = Ticks.makeStream()
      line.onTermination = { [isClosed] _ in isClosed.send(true) }
      self.line.send(line)
      return ticks
    }

    func send(_ number: Int, _ symbol: String, _ price: Int) {
      line.value?.yield(Tick(number: number, symbol: symbol, price: price))
    }

    func drop(_ error: (any Error)? = nil) {
      line.value?.finish(throwing: error)
    }
  }

  private let clock = ManualClock()
  private let exchange = Exchange()
  private let feed: ReconnectingFeed

  init() {
    feed = ReconnectingFeed(clock: clock) { [exchange] in try await exchange.connect($0) }
  }

  @Test
  func `ticks change prices`() async throws {
    try await expectValue("0 prices", of: feed.status)
    exchange.send(1, "ACME", 12)
    exchange.send(5, "INIT", 40)
    exchange.send(6, "ACME", 13)
    #expect(try await expectValue(of: feed.board) { $0.last == 6 }.prices == ["ACME": 13, "INIT": 40])
    #expect(feed.status.value == "2 prices")
    #expect(exchange.requests.value == [0])
  }

  @Test(arguments: [Dropped(), nil])
  func `a dropped line keeps the prices, and is opened again after a second`(error: Dropped?) async throws {
    try await expectValue("0 prices", of: feed.status)
    exchange.send(1, "ACME", 12)
    exchange.send(5, "INIT", 40)
    try await expectValue("2 prices", of: feed.status)
    exchange.drop(error)
    try await expectValue("waiting (attempt 2 in 1.0 seconds), 2 old prices", of: feed.status)
    try await clock.advance(by: .milliseconds(999))
    #expect(exchange.requests.value == [0])

    exchange.gate.close()
    try await clock.advance(by: .milliseconds(1))
    #expect(exchange.requests.value == [0, 5])
    #expect(feed.status.value == "connecting (attempt 2), 2 old prices")
    exchange.gate.open()
    try await expectValue("2 prices", of: feed.status)

    exchange.send(5, "INIT", 1)
    exchange.send(6, "ACME", 13)
    #expect(try await expectValue(of: feed.board) { $0.last == 6 }.prices == ["ACME": 13, "INIT": 40])
  }

  @Test
  func `pauses double up to half a minute, and begin again after a tick`() async throws {
    try await expectValue("0 prices", of: feed.status)
    exchange.refusal.send(Dropped())
    exchange.drop()
    try await expectValue(of: feed.link) { !$0.isLive }
    for (attempt, seconds) in [1, 2, 4, 8, 16, 30, 30].enumerated() {
      try await clock.advance(by: .seconds(seconds) - .milliseconds(1))
      #expect(exchange.requests.value.count == attempt + 1)
      if attempt == 6 { exchange.refusal.send(nil) }
      try await clock.advance(by: .milliseconds(1))
      #expect(exchange.requests.value.count == attempt + 2)
    }
    #expect(feed.status.value == "no ticks, 0 old prices")
    exchange.send(1, "ACME", 12)
    try await expectValue("1 prices", of: feed.status)
    exchange.drop()
    try await expectValue("waiting (attempt 2 in 1.0 seconds), 1 old prices", of: feed.status)
  }

  @Test
  func `a feed that is denied ends`() async throws {
    try await expectValue("0 prices", of: feed.status)
    exchange.refusal.send(Denied())
    exchange.drop()
    try await expectValue(of: feed.link) { !$0.isLive }
    try await clock.advance(by: .seconds(100))
    #expect(feed.status.value == "ended: Denied(), 0 old prices")
    #expect(exchange.requests.value == [0, 0])
  }

  @Test
  func `no tick for ten seconds makes prices old`() async throws {
    try await expectValue("0 prices", of: feed.status)
    try await clock.advance(by: .seconds(9))
    exchange.send(1, "ACME", 12)
    try await expectValue("1 prices", of: feed.status)
    try await clock.advance(by: .milliseconds(9_999))
    #expect(feed.status.value == "1 prices")
    try await clock.advance(by: .milliseconds(1))
    #expect(feed.status.value == "no ticks, 1 old prices")
    exchange.send(2, "ACME", 13)
    try await expectValue("1 prices", of: feed.status)
  }

  @Test
  func `a feed that is released closes its line`() async throws {
    let exchange = Exchange()
    try await expectReleased { objects in
      let feed = objects.track(ReconnectingFeed(clock: clock) { try await exchange.connect($0) })
      try await expectValue(of: feed.link) { $0.isLive }
      exchange.send(1, "ACME", 12)
      try await expectValue(of: feed.board) { $0.last == 1 }
    }
    try await expectValue(true, of: exchange.isClosed)
  }
}
