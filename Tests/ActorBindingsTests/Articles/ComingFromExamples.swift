import ActorBindings
import Dispatch
import Testing

// The code between the markers is shown in the article `ComingFrom`; the suite `ArticleTests` compares the two.

@Suite
struct ComingFromExamples {
  struct User: Sendable {
    var name: String
  }

  @MainActor
  final class Label {
    var text = ""
  }

  @Test
  func `state, events, failures and history`() async {
    let (books, recorded) = (DispatchQueue(label: "books"), Recorder<Int>())
    @Sendable func record(_ order: Int) { recorded.record(order) }
    // article
    enum Feed: Sendable {
      case connecting
      case prices([String: Int])
      case failed(String)  // a failure is a value too
    }

    let feed = BindableActor(Feed.connecting)  // state
    let order = BindableActor<Int?>(nil)  // events: nil before the first
    let history = BindableActor<[String]>([])  // what a late reader needs

    let token = order.compactMap(\.self)
      .observe(on: .queue(books), backlog: .unbounded) { record($0) }
    feed.send(.failed("no route"))
    order.send(1)
    history.modify { $0 = $0.suffix(99) + ["ordered 1"] }
    // end
    order.send(2)
    await order.settled()
    #expect(recorded.elements == [1, 2])
    #expect(history.value == ["ordered 1"])
    if case .failed(let reason) = feed.value { #expect(reason == "no route") } else { Issue.record() }
    token.cancel()
  }

  // article
  @MainActor
  final class Header {
    let title = Label()
    private let bag = DisposeBag()

    init(_ user: BindableActor<User>) {
      // Until the label goes:
      user.map(\.name).removeDuplicates().bind(to: title, \.text)
      // Until the header or the bag goes:
      user.dropFirst().observe(self) { $0.welcome($1) }.store(in: bag)
    }
  }
  // end

  @Test @MainActor
  func `a header`() async {
    let user = BindableActor(User(name: "Ada"))
    let header = Header(user)
    #expect(header.title.text == "Ada")
    user.send(User(name: "Eve"))
    await user.settled()
    #expect(header.title.text == "welcome, Eve")
  }

  @Test
  func `a collector`() async {
    let (count, shown) = (BindableActor(0), Recorder<Int>())
    @Sendable func show(_ count: Int) { shown.record(count) }
    // article
    count.modify { $0 += 1 }

    let collecting = Task {
      for await count in count.removeDuplicates().values { show(count) }
    }
    // end
    count.finish()
    await collecting.value
    #expect(shown.elements == [1])
  }

  @Test
  func `a sequence from elsewhere`() async {
    let (sensor, readings) = AsyncStream.makeStream(of: Int.self)
    let temperature = BindableActor(0)
    let all = temperature.values(backlog: .unbounded)
    @Sendable func report(_ error: any Error) {}
    // article
    temperature.follow(sensor) { end in
      if case .failed(let error) = end { report(error) }
    }
    // end
    for reading in 1...3 { readings.yield(reading) }
    readings.finish()
    _ = await temperature.first { $0 == 3 }
    temperature.finish()
    #expect(await all.elements() == [0, 1, 2, 3])
  }

  typealias Profile = ObservableProfile

  // article
  @MainActor
  func show(_ user: BindableActor<User>, in profile: Profile) {
    user.bind(\.name, to: profile, \.name)  // until the profile goes
  }
  // end

  @Test @MainActor
  func `an observable model`() async {
    let user = BindableActor(User(name: "Ada"))
    let profile = Profile()
    show(user, in: profile)
    #expect(profile.name == "Ada")
    user.send(User(name: "Eve"))
    await user.settled()
    #expect(profile.name == "Eve")
  }

  @Test
  func `a reader that lags`() async {
    let config = BindableActor(0)
    var (applied, fetches): ([Int], Int) = ([], 0)
    func fetchTheWhole() { fetches += 1 }
    // Is busy with the first value while twenty others are sent.
    func apply(_ value: Int) {
      if applied.isEmpty { for value in 1...20 { config.send(value) } }
      if value == 20 { config.finish() }
      applied.append(value)
    }
    // article
    for await update in config.updates(backlog: .bounded(16)) {
      if update.skipped > 0 { fetchTheWhole() }
      apply(update.value)
    }
    // end
    #expect(applied == [0] + Array(5...20))
    #expect(fetches == 1)
  }
}

extension ComingFromExamples.Header {
  func welcome(_ user: ComingFromExamples.User) {
    title.text = "welcome, \(user.name)"
  }
}
