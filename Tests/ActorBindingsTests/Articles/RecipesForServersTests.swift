import ActorBindings
import Dispatch
import Foundation
import Testing

/// Runs the examples of the article `RecipesForServers`.
@Suite
struct RecipesForServersTests {
  private typealias Examples = RecipesForServersExamples
  private let clock = ManualClock()

  @Test
  func `the state of a connection`() async {
    let (user, news) = (BindableActor(Examples.User()), BindableActor(["en": "hello", "de": "hallo"]))
    let (session, client) = (Examples.Session(of: user), Examples.Client())
    let serving = Task { await session.serve(news, to: client) }
    await client.lines.reached(1)
    user.send(Examples.User(language: "de"))
    await user.settled()
    news.send(["de": "neu"])
    await client.lines.reached(2)
    #expect(client.lines.elements == ["hello (0 skipped)", "neu (0 skipped)"])
    serving.cancel()
    await serving.value
    #expect(news.observerCount == 0)
  }

  @Test
  func `a slow client receives the newest value, at most one in a second`() async throws {
    let (prices, client) = (BindableActor(1), Examples.Client())
    async let writing: Void = {
      await clock.slept(1)
      for price in 2...9 { prices.send(price) }
      prices.finish()
      clock.advance(by: .seconds(1))
      await clock.slept(1)
      clock.advance(by: .seconds(1))
    }()
    try await Examples().serve(prices, to: client, clock: clock)
    await writing
    #expect(client.lines.elements == ["1", "9"])
  }

  @Test
  func `a shutdown waits until each client has the last line`() async {
    let (news, stop) = (BindableActor("hello"), BindableActor(false))
    let clients = [Examples.Client(), Examples.Client()]
    clients[1].isReady.send(1)
    let server = Task { await Examples().serve(clients, news, until: stop) }
    for client in clients { await client.lines.reached(1) }
    stop.send(true)
    await eventually { news.isFinished }
    news.send("too late")
    clients[1].isReady.send(2)
    await server.value
    for client in clients { #expect(client.lines.elements == ["hello", "The server restarts."]) }
  }

  @Test
  func `a service finishes its cell when the shutdown begins`() async throws {
    let (prices, hasBegun) = (BindableDictionary(["ACME": 1250]), BindableActor(false))
    let market = Examples.Market(prices: prices, clock: clock)
    let running = Task { try await GracefulShutdown.$hasBegun.withValue(hasBegun) { try await market.run() } }
    await clock.slept(1)
    let version = prices.version
    clock.advance(by: .milliseconds(25))
    await clock.slept(1)
    #expect(prices.version == version + 1)
    hasBegun.send(true)
    try await running.value
    #expect(prices.isFinished)
  }

  @Test(arguments: [true, false])
  func `a request of a server ends with the shutdown, or with its cell`(isShutDown: Bool) async throws {
    let (prices, hasBegun) = (BindableDictionary(["ACME": 1250]), BindableActor(false))
    let (application, written) = (Examples().application(prices), Recorder<String>())
    let request = Task {
      try await GracefulShutdown.$hasBegun.withValue(hasBegun) {
        try await application.router.answer("events/{symbol}", ["symbol": "ACME"], to: written)
      }
    }
    await written.reached(1)
    #expect(written.last == "data: 1250 0\n\n")
    let metrics = Recorder<String>()
    try await application.router.answer("metrics", to: metrics)
    #expect(metrics.last == "observers \(prices.observerCount)\n")
    if isShutDown { hasBegun.send(true) } else { prices.finish() }
    try await request.value
    #expect(written.elements == ["data: 1250 0\n\n", "end"])
    #expect(application.services.count == 1)
  }

  @Test
  func `shards count as one, at one instant`() async {
    let votes = Examples.Votes(shards: 4)
    let totals = votes.total.values(backlog: .unbounded)
    await concurrently(4) { _ in
      for vote in 0..<25 { votes.add(1, for: "candidate \(vote % 5)") }
    }
    #expect(votes.total.value == 100)
    for candidate in 0..<5 { #expect(votes.count(for: "candidate \(candidate)").value == 20) }
    var (last, isRising) = (-1, true)
    for await total in totals {
      isRising = isRising && total == last + 1
      last = total
      if total == 100 { break }
    }
    #expect(isRising)
  }

  @Test
  func `a signal loads the configuration again`() async throws {
    let (config, served) = (BindableActor(Examples.Config()), Recorder<Int>())
    let (file, logged) = (BindableActor<Examples.Config?>(Examples.Config(limit: 2)), Recorder<String>())
    let hangUps = Examples.HangUp.reloads(config) {
      guard let config = file.value else { throw CancellationError() }
      return config
    } log: {
      logged.record($0)
    }
    let running = Task {
      try await Examples().run(config) { config in
        served.record(config.limit)
        await cancelled()
      }
    }
    await served.reached(1)
    // The source registers asynchronously, and the signal is ignored until then.
    await eventually {
      kill(getpid(), SIGHUP)
      return served.count == 2
    }
    file.send(nil)
    await eventually {
      kill(getpid(), SIGHUP)
      return logged.count > 0
    }
    #expect(served.elements == [1, 2])
    #expect(config.value.limit == 2)
    running.cancel()
    _ = await running.result
    hangUps.cancel()
  }

  @Test
  func `metrics`() async throws {
    let (prices, client) = (BindableActor(1), Examples.Client())
    let metrics = Examples.Metrics(prices: prices, save: AsyncAction { _ in })
    let exported = Recorder<Int>()
    client.isReady.send(1)
    let loop = Task { await metrics.serve(client) }
    await client.lines.reached(1)
    let version = prices.version
    let exporting = metrics.export(clock: clock) { exported.record($0) }
    await clock.slept(1)
    for price in 2...5 { prices.send(price) }
    clock.advance(by: .seconds(10))
    await exported.reached(1)
    #expect(exported.last == 5)
    client.isReady.send(.max)
    await eventually { client.lines.last == "5" }
    let skipped = metrics.skipped.value
    #expect(client.lines.count + skipped == 5)
    #expect(
      metrics.page == """
        price_readers \(prices.observerCount)
        price_updates \(version + 4)
        price_updates_skipped \(skipped)
        saves_waiting 0
        """
    )
    exporting.cancel()
    loop.cancel()
    await loop.value
  }
}
