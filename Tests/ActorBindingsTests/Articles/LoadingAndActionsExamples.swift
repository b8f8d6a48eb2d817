import ActorBindings
import Dispatch
import Testing

// The code between the markers is shown in the article `LoadingAndActions`; the suite `ArticleTests` compares the two.

@MainActor @Suite
struct LoadingAndActionsExamples {
  struct Profile: Sendable {
    var name: String
  }

  struct Draft: Sendable {
    var text: String
  }

  struct Offline: Error {}

  struct Exchange: Sendable {
    struct Tick: Sendable {
      var symbol: String
      var price: Double
    }

    let prices = AsyncStream<Double> { continuation in
      continuation.yield(12)
      continuation.finish()
    }
    let ticks = AsyncStream<Tick> { continuation in
      continuation.yield(Tick(symbol: "ACME", price: 13))
      continuation.finish()
    }
  }

  struct API: Sendable {
    let calls = Counter()

    func profile(of name: String) async throws -> Profile { Profile(name: "\(name) \(calls.add())") }
    func articles(about query: String) async throws -> [String] { ["about \(query)"] }
    func rates() async throws -> Int {
      if calls.add() < 3 { throw Offline() }
      return calls.value
    }
  }

  struct Store: Sendable {
    let saved = Recorder<String>()

    func save(_ draft: Draft) async throws { saved.record(draft.text) }
  }

  final class Light {
    var isVisible = false
    var isEnabled = false
  }

  @Test
  func `following a sequence`() async {
    let exchange = Exchange()
    @Sendable func log(_ line: String) {}
    // article
    let price = BindableActor(0.0)
    price.follow(exchange.prices) { end in
      if case .failed(let error) = end { log("no more prices: \(error)") }
    }
    // end
    // article
    let prices = BindableDictionary<String, Double>()
    let token = prices.follow(exchange.ticks) { prices, tick in
      prices[tick.symbol] = tick.price
    }
    // end
    _ = await price.first { $0 == 12 }
    _ = await prices.first { $0["ACME"] == 13 }
    token.cancel()
  }

  @Test
  func `a feed whose line may drop`() async {
    struct Exchange: Sendable {
      let calls = Counter()

      func connect() async throws -> sending AsyncStream<Double> {
        if calls.add() == 1 { throw Offline() }
        return AsyncStream { continuation in
          continuation.yield(12)
          continuation.finish()
        }
      }
    }
    let (exchange, clock, lines) = (Exchange(), ManualClock(), Recorder<String>())
    @Sendable func log(_ line: String) { lines.record(line) }
    // article
    let price = BindableActor(0.0)
    let link = BindableActor(LinkState.idle)
    price.follow(retry: .backoff(jitter: 0.2), clock: clock, link: link) {
      try await exchange.connect()
    } onEnd: { end in
      log("\(end)")
    }
    let isStale = link.map { !$0.isLive }
    // end
    await clock.slept(1)
    #expect(isStale.value)
    #expect(link.value.attempt?.number == 2)
    clock.advance(by: .seconds(1))
    await lines.reached(1)
    #expect(lines.elements == ["finished"])
    #expect(price.value == 12)
    #expect("\(link.value)" == "ended")
  }

  @Test
  func `a feed that is open only while it is read`() async {
    let subscriptions = Counter()
    struct Exchange: Sendable {
      let subscriptions: Counter

      func subscribe(_ symbol: String) async throws -> sending AsyncStream<Double> {
        subscriptions.add()
        return AsyncStream { $0.yield(12) }
      }
    }
    let (exchange, clock, lines) = (Exchange(subscriptions: subscriptions), ManualClock(), Recorder<String>())
    let work = DispatchQueue(label: "work")
    @Sendable func log(_ line: String) { lines.record(line) }
    // article
    let ticks = feed(
      keepingOpen: .seconds(5),
      retry: .backoff(),
      clock: clock
    ) {
      try await exchange.subscribe("ACME")
    }

    // The first reader opens the feed:
    let token = ticks.observe(on: .queue(work)) { log("\($0)") }
    // end
    await lines.reached(1)
    token.cancel()
    await clock.slept(1)
    clock.advance(by: .seconds(4))
    let again = ticks.observe(on: .queue(work)) { log("again \($0)") }
    await lines.reached(2)
    #expect(lines.elements == ["12.0", "again 12.0"])
    #expect(subscriptions.value == 1)
    again.cancel()
  }

  @Test
  func `loading on demand`() async throws {
    let api = API()
    // article
    let profile = LoadingCell { try await api.profile(of: "ann") }

    // Loads, joins a load, or returns what is loaded:
    let name = try await profile.load().name
    // Starts a load, and does not wait, so handlers can call it:
    profile.startReloading()
    // Always starts a new load:
    let fresh = try await profile.reload()
    // end
    #expect(name == "ann 1")
    #expect(fresh.name == "ann 2" || fresh.name == "ann 3")
    #expect(profile.value.content?.name == fresh.name)
  }

  @Test
  func `trying again`() async throws {
    let (api, clock) = (API(), ManualClock())
    // article
    let retries = RetryPolicy.backoff(attempts: 5, first: .seconds(1))
    let rates = LoadingCell(retry: retries, clock: clock) {
      try await api.rates()
    }

    let status = rates.map { state in
      guard let attempt = state.attempt else { return "\(state)" }
      let name = "attempt \(attempt.number)"
      return attempt.startsIn.map { "\(name) in \($0)" } ?? name
    }
    // end
    rates.startLoading()
    for attempt in 2...3 {
      await clock.slept(1)
      #expect(status.value.hasPrefix("attempt \(attempt) in "))
      clock.advance(by: .seconds(2))
    }
    _ = await status.first { $0 == "loaded 3" }
  }

  // article
  final class ProfileCard: LoadingTarget {
    var text = ""

    func showLoading(_ attempt: LoadingAttempt, last: Profile?) {
      text = last?.name ?? "…"
    }

    func showContent(_ profile: Profile) {
      text = profile.name
    }

    func showFailure(_ error: any Error, last: Profile?) {
      text = "\(last?.name ?? "nobody") (\(error))"
    }
  }
  // end

  @Test
  func `a method for each state`() async throws {
    let (api, card) = (API(), ProfileCard())
    let profile = LoadingCell { try await api.profile(of: "ann") }
    profile.consumeLoading(by: card)
    try await profile.load()
    await eventually { card.text == "ann 1" }
  }

  @Test
  func `loading for the newest value`() async {
    let (search, clock, api, shown) = (BindableActor("swift"), ManualClock(), API(), Recorder<String>())
    func show(_ phase: LoadingPhase<[String]>) {
      shown.record("\(phase)")
      if phase.content != nil { search.finish() }
    }
    async let time: Void = {
      await clock.slept(1)
      clock.advance(by: .milliseconds(300))
    }()
    // article
    let results =
      search
      .debounce(for: .milliseconds(300), clock: clock)
      .mapLatest { try await api.articles(about: $0) }

    for await phase in results.values {
      show(phase)  // loading, loaded, failed
    }
    // end
    await time
    #expect(shown.last == "loaded [\"about swift\"]")
  }

  @Test
  func `transforming each value`() async {
    let (uploads, store) = (BindableActor(Draft(text: "a")), Store())
    func log(_ line: String) { Issue.record("\(line)") }
    uploads.finish()
    // article
    let stored = uploads.asyncMap(maxConcurrent: 4) {
      try await store.save($0)
    }

    for await result in stored.values(backlog: .unbounded) {
      if case .failure(let error) = result { log("not saved: \(error)") }
    }
    // end
    #expect(store.saved.elements == ["a"])
  }

  @Test
  func `a loop that a newer value interrupts`() async throws {
    let (config, served) = (BindableActor(1), Recorder<Int>())
    @Sendable func serve(_ config: Int) async throws {
      served.record(config)
      if config == 1 { await cancelled() }
      try Task.checkCancellation()
    }
    async let change: Void = {
      await served.reached(1)
      config.send(2)
      await served.reached(2)
      config.finish()
    }()
    // article
    try await config.forEachLatest { config in
      try await serve(config)  // until the configuration changes
    }
    // end
    await change
    #expect(served.elements == [1, 2])
  }

  @Test
  func `actions`() async throws {
    let (store, isOnline) = (Store(), BindableActor(true))
    let (spinner, button) = (Light(), Light())
    // article
    let save = AsyncAction(isEnabled: isOnline) { (draft: Draft) in
      try await store.save(draft)
    }

    save.isExecuting.bind(to: spinner, \.isVisible)
    save.isEnabled.bind(to: button, \.isEnabled)

    try await save.execute(Draft(text: "hello"))  // in a task
    let isTaken = save.start(Draft(text: "world"))  // or in a handler
    // end
    #expect(isTaken)
    await store.saved.reached(2)
    #expect(store.saved.elements == ["hello", "world"])
    await eventually { button.isEnabled && !spinner.isVisible }
  }

  @Test
  func `events`() {
    let (manual, counter) = (ManualContext(), Counter())
    let context = manual.delivery
    @Sendable func count() { counter.add() }
    // article
    let taps = EventSource<Void>()
    let token = taps.observe(on: context, backlog: .unbounded) { count() }
    taps.send()
    // end
    manual.run()
    #expect(counter.value == 1)
    token.cancel()
  }

  // article
  @MainActor
  final class ProfileModel {
    private let user: ObservableCell<String>

    init(_ user: BindableActor<String>) { self.user = ObservableCell(user) }

    // Tracked by `withObservationTracking`, `Observations` and views, as a
    // stored property of an `@Observable` class is.
    var title: String { "Profile of \(user.value)" }

    func rename(to name: String) { user.value = name }
    func addTitle() { user.modify { $0 = "Dr. \($0)" } }
  }
  // end

  @Test
  func `a model that is observed`() async {
    let user = BindableActor("ann")
    let model = ProfileModel(user)
    user.send("bob")
    await eventually { model.title == "Profile of bob" }
    model.rename(to: "cat")
    model.addTitle()
    #expect(model.title == "Profile of Dr. cat")
    #expect(user.value == "Dr. cat")
  }
}
