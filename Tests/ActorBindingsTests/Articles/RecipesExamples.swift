import ActorBindings
import Observation
import Testing

// The code between the markers is shown in the article `Recipes`; the suite `ArticleTests` compares the two.

struct RecipesExamples {
  struct Offline: Error {}

  /// A server that answers at once, unless it is offline.
  struct API: Sendable {
    let calls = Recorder<String>()
    let isOffline = BindableActor(false)
    let gate: Gate?

    init(gate: Gate? = nil) {
      self.gate = gate
    }

    func search(_ text: String) async throws -> [String] {
      calls.record("search \(text)")
      return ["about \(text)"]
    }

    func register(_ mail: String, _ password: String) async throws {
      if isOffline.value { throw Offline() }
      calls.record("register \(mail)")
    }

    func status() async throws -> Int {
      calls.record("status")
      if isOffline.value { throw Offline() }
      return calls.count
    }

    func storeLikes(_ count: Int) async throws -> Int {
      calls.record("store \(count)")
      await gate?.passed()
      if isOffline.value { throw Offline() }
      return count
    }
  }

  // article
  final class Search: Sendable {
    let text = BindableActor("")
    let results: AnyBindingSource<LoadingPhase<[String]>>

    init(_ api: API, clock: some Clock<Duration> = ContinuousClock()) {
      results =
        text
        .debounce(for: .milliseconds(300), clock: clock)
        .removeDuplicates()
        .mapLatest(keepingLast: true) { try await api.search($0) }
        .erased()
    }
  }
  // end

  // article
  final class SignUp: Sendable {
    let mail = BindableActor("")
    let password = BindableActor("")
    let problem: AnyStateSource<String?>  // what to show below the form
    let submit: AsyncAction<Void, Void>  // what the button starts

    init(_ api: API) {
      let (mail, password) = (mail, password)
      problem = combineLatest(mail, password).map { mail, password in
        if !mail.contains("@") { return "This is no mail address." }
        return password.count < 8 ? "The password is too short." : nil
      }
      .erased()
      submit = AsyncAction(isEnabled: problem.map { $0 == nil }) {
        try await api.register(mail.value, password.value)
      }
    }
  }
  // end

  // article
  final class Likes: Sendable {
    let confirmed: BindableActor<Int>
    let wish = BindableActor<Int?>(nil)
    let shown: AnyStateSource<Int>

    init(_ count: Int) {
      confirmed = BindableActor(count)
      shown = combineLatest(wish, confirmed).map { $0 ?? $1 }.erased()
    }

    func change(to count: Int, on api: API) async {
      wish.send(count)
      let stored = try? await api.storeLikes(count)
      BindingTransaction.run { transaction in
        if let stored { transaction[confirmed] = stored }
        // Unless a newer wish has come:
        if transaction[wish] == count { transaction[wish] = nil }
      }
    }
  }
  // end

  // article
  @MainActor
  final class ThermostatModel {
    private let target: ObservableCell<Int>

    init(_ target: BindableActor<Int>) {
      self.target = ObservableCell(target)
    }

    // A SwiftUI view that reads this is drawn again after each change.
    var title: String { "\(target.value) °C" }
    func makeWarmer() { target.modify { $0 += 1 } }
  }
  // end
}

@Suite
struct RecipesTests {
  private typealias API = RecipesExamples.API
  private let clock = ManualClock()

  @Test
  func `search while the user types`() async {
    let api = API()
    let search = RecipesExamples.Search(api, clock: clock)
    var phases = search.results.values(backlog: .unbounded).makeAsyncIterator()
    await clock.slept(1)
    for text in ["s", "sw", "swift"] { search.text.send(text) }
    await search.text.settled()
    clock.advance(by: .milliseconds(300))
    while let phase = await phases.next(), phase.content != ["about swift"] {}
    #expect(api.calls.elements == ["search swift"])
  }

  @Test
  func `a form with validation`() async throws {
    let api = API()
    let form = RecipesExamples.SignUp(api)
    #expect(form.problem.value == "This is no mail address.")
    await #expect(throws: ActionRefusal.self) { try await form.submit.execute() }
    form.mail.send("ada@example.org")
    #expect(form.problem.value == "The password is too short.")
    form.password.send("difference")
    #expect(form.problem.value == nil)
    try await form.submit.execute()
    #expect(api.calls.elements == ["register ada@example.org"])
    var errors = form.submit.errors.values(backlog: .unbounded).makeAsyncIterator()
    api.isOffline.send(true)
    #expect(form.submit.start())
    #expect(await errors.next() is RecipesExamples.Offline)
  }

  @Test
  func `a feed that drops the line`() async {
    struct Exchange: Sendable {
      let lines = Recorder<AsyncStream<Double>.Continuation>()

      func prices() async throws -> sending AsyncStream<Double> {
        AsyncStream { lines.record($0) }
      }
    }
    let exchange = Exchange()
    // article
    let price = BindableActor<Double?>(nil)
    let link = BindableActor(LinkState.idle)
    price.follow(
      retry: .backoff(first: .seconds(1)),
      clock: clock,
      reopensAtEnd: true,
      link: link
    ) {
      try await exchange.prices()
    }

    let line = combineLatest(price, link).map { price, link in
      guard let price else { return "no price yet" }
      return link.isLive ? "\(price)" : "\(price), \(link)"
    }
    // end
    #expect(line.value == "no price yet")
    await exchange.lines.reached(1)
    exchange.lines.last?.yield(12)
    _ = await line.first { $0 == "12.0" }
    exchange.lines.last?.finish()
    await clock.slept(1)
    #expect(line.value.hasPrefix("12.0, waiting (attempt 2 in "))
    clock.advance(by: .seconds(1))
    await exchange.lines.reached(2)
    exchange.lines.last?.yield(13)
    _ = await line.first { $0 == "13.0" }
  }

  @Test
  func `polling`() async throws {
    let api = API()
    // article
    let status = interval(.seconds(10), clock: clock)
      .orInitially(0)  // asks at once, too
      .asyncMap(inputBacklog: .latest) { _ in try await api.status() }
    // end
    var answers = status.values(backlog: .unbounded).makeAsyncIterator()
    #expect(try await answers.next()?.get() == 1)
    await clock.slept(1)
    api.isOffline.send(true)
    clock.advance(by: .seconds(10))
    let answer = await answers.next()
    #expect(throws: RecipesExamples.Offline.self) { try answer?.get() }
    await clock.slept(1)
    api.isOffline.send(false)
    clock.advance(by: .seconds(10))
    #expect(try await answers.next()?.get() == 3)
  }

  @Test
  func `polling ends with the last reader`() async throws {
    let api = API()
    let status = interval(.seconds(10), clock: clock).orInitially(0).asyncMap { _ in try await api.status() }
    for try await _ in status.values { break }
    await clock.slept(0)
    #expect(api.calls.count == 1)
  }

  @Test
  func `an edit is shown before the server has confirmed it`() async {
    let gate = Gate()
    let (api, likes) = (API(gate: gate), RecipesExamples.Likes(1))
    let shown = likes.shown.values(backlog: .unbounded)
    async let change: Void = likes.change(to: 2, on: api)
    await api.calls.reached(1)
    #expect(likes.shown.value == 2)
    #expect(likes.confirmed.value == 1)
    gate.open()
    await change
    #expect(likes.confirmed.value == 2)
    #expect(likes.wish.value == nil)
    api.isOffline.send(true)
    await likes.change(to: 3, on: api)
    #expect(likes.shown.value == 2)
    likes.wish.finish()
    likes.confirmed.finish()
    // No reader sees the old value between the wish and its confirmation.
    #expect(await shown.elements() == [1, 2, 2, 3, 2])
  }

  @Test
  func `a wish that is displaced stays`() async {
    let gate = Gate()
    let (api, likes) = (API(gate: gate), RecipesExamples.Likes(1))
    async let change: Void = likes.change(to: 2, on: api)
    await api.calls.reached(1)
    likes.wish.send(5)
    gate.open()
    await change
    #expect(likes.shown.value == 5)
    #expect(likes.confirmed.value == 2)
  }

  @Test @MainActor
  func `a model of a view`() async {
    let target = BindableActor(20)
    let model = RecipesExamples.ThermostatModel(target)
    let changes = Counter()
    withObservationTracking {
      #expect(model.title == "20 °C")
    } onChange: {
      changes.add()
    }
    model.makeWarmer()
    #expect(model.title == "21 °C")
    #expect(changes.value == 1)
    target.send(25)
    await eventually { model.title == "25 °C" }
  }
}
