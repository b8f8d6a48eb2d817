import ActorBindings
import Dispatch
import Synchronization
import Testing

// The code between the markers is shown in the article `Combining`; the suite `ArticleTests` compares the two.

private struct Health: Sendable {
  var isReady = true
}

private struct Config: Sendable {
  var limit = 2
  var paths = ["/"]
}

/// A value that is expensive to make.
private struct Routes: Sendable {
  static let made = Counter()
  let paths: Set<String>

  init(of config: Config) {
    Self.made.add()
    paths = Set(config.paths)
  }
}

@Suite
struct CombiningExamples {
  private let health = BindableActor(Health())
  private let connections = BindableActor<[String]>([])
  private let config = BindableActor(Config())

  @Test
  func `the newest of several`() async {
    let balancer = DispatchQueue(label: "balancer")
    let announced = Recorder<Bool>()
    @Sendable func announce(_ accepts: Bool) { announced.record(accepts) }
    // article
    let accepts = combineLatest(
      health.map(\.isReady),
      connections.map(\.count),
      config.map(\.limit)
    )
    .map { isReady, count, limit in isReady && count < limit }
    .removeDuplicates()

    let token = accepts.observe(on: .queue(balancer)) { announce($0) }
    // end
    #expect(accepts.value)
    await connections.settled()
    connections.modify { $0 += ["a", "b"] }
    await connections.settled()
    connections.modify { $0.append("c") }
    config.modify { $0.limit = 10 }
    await config.settled()
    #expect(announced.elements.first == true)
    #expect(announced.last == true)
    #expect(announced.count == 3)
    await token.cancelAndWait()
  }

  @Test
  func `writing several at one instant`() {
    let (active, waiting) = (BindableActor(["a"]), BindableActor(["b", "c"]))
    // article
    let isAdmitted = BindingTransaction.run { transaction in
      if transaction[active].count >= 100 { return false }
      if transaction[waiting].isEmpty { return false }
      transaction[active].append(transaction[waiting].removeFirst())
      return true
    }
    // end
    #expect(isAdmitted)
    #expect(active.value == ["a", "b"])
    #expect(waiting.value == ["c"])
  }

  // article
  struct Overdrawn: Error {}

  func transfer(
    _ amount: Int,
    from payer: BindableActor<Int>,
    to payee: BindableActor<Int>
  ) throws(Overdrawn) {
    try BindingTransaction.run { transaction throws(Overdrawn) in
      guard transaction[payer] >= amount else { throw Overdrawn() }
      transaction[payer] -= amount
      transaction[payee] += amount
    }
  }
  // end

  @Test
  func `a transaction that throws`() throws {
    let (payer, payee) = (BindableActor(10), BindableActor(0))
    try transfer(7, from: payer, to: payee)
    #expect(throws: Overdrawn.self) { try transfer(7, from: payer, to: payee) }
    #expect(payer.value == 3)
    #expect(payee.value == 7)
  }

  // article
  enum Event: Sendable, Equatable {
    case login(String)
    case job(Int)
  }

  func keep(
    _ journal: Journal,
    of logins: BindableActor<String?>,
    and jobs: BindableActor<Int?>
  ) async {
    let events = merge(
      logins.compactMap(\.self).map(Event.login),
      jobs.compactMap(\.self).map(Event.job)
    )
    for await event in events.values(backlog: .unbounded) {
      await journal.append(event)
    }
  }
  // end

  actor Journal {
    private(set) var events: [Event] = []

    func append(_ event: Event) {
      events.append(event)
    }
  }

  @Test
  func `values one after the other`() async {
    let (logins, jobs, journal) = (BindableActor<String?>(), BindableActor<Int?>(), Journal())
    async let kept: Void = keep(journal, of: logins, and: jobs)
    await logins.parked(1)
    logins.send("ann")
    for number in 1...2 { jobs.send(number) }
    logins.send("bob")
    logins.finish()
    jobs.finish()
    await kept
    #expect(await journal.events == [.login("ann"), .job(1), .job(2), .login("bob")])
  }

  @Test
  func `pairs`() async {
    let (requests, replies) = (BindableActor<String?>(), BindableActor<Int?>())
    async let writing: Void = write {
      await requests.parked(1)
      for path in ["/", "/x", "/y"] { requests.send(path) }
      for status in [200, 404] { replies.send(status) }
      requests.finish()
      replies.finish()
    }
    var lines: [String] = []
    // article
    let asked = requests.compactMap(\.self)
    let exchanges = zip(asked, replies.compactMap(\.self))

    for await (request, reply) in exchanges.values(backlog: .unbounded) {
      lines.append("\(request) → \(reply)")
    }
    // end
    await writing
    #expect(lines == ["/ → 200", "/x → 404"])
  }

  @Test
  func `the newest of several sources`() async {
    let rooms = [BindableActor("hello"), BindableActor("good day")]
    let room = BindableActor(0)
    var shown: [String] = []
    async let writing: Void = write {
      await eventually { rooms[0].observerCount == 1 }
      rooms[0].send("how are you?")
      await room.settled()
      room.send(1)
      rooms[0].send("are you there?")
      room.finish()
      rooms.forEach { $0.finish() }
    }
    // article
    let messages = room.map { rooms[$0] }.switchToLatest()

    for await message in messages.values(backlog: .unbounded) {
      shown.append(message)
    }
    // end
    await writing
    #expect(shown == ["hello", "how are you?", "good day"])
  }

  @Test
  func `from one value to the next`() async {
    let log = DispatchQueue(label: "log")
    let noted = Recorder<String>()
    @Sendable func note(_ text: String) { noted.record(text) }
    var limits: [Int] = []
    func reload(_ config: Config) { limits.append(config.limit) }
    async let writing: Void = write { [config] in
      await config.parked(1)
      config.modify { $0.limit = 3 }
      config.finish()
    }
    // article
    let peak = connections.map(\.count).scan(0, max)

    let token = health.withPrevious()
      .observe(on: .queue(log), backlog: .unbounded) { old, new in
        if let old, old.isReady != new.isReady {
          note(new.isReady ? "ready" : "not ready")
        }
      }

    for await config in config.dropFirst().values {
      reload(config)
    }
    // end
    await writing
    #expect(limits == [3])
    for isReady in [true, false, true] { health.modify { $0.isReady = isReady } }
    await health.settled()
    #expect(noted.elements == ["not ready", "ready"])
    await token.cancelAndWait()
    let peaks = peak.values(backlog: .unbounded)
    for names in [["a", "b"], []] { connections.send(names) }
    connections.finish()
    #expect(await peaks.elements() == [0, 2, 2])
  }

  @Test
  func `computing once`() async {
    let before = Routes.made.value
    // article
    let routes = BindableActor(of: config.map { Routes(of: $0) })
    // end
    #expect(routes.value.paths == ["/"])
    config.modify { $0.paths.append("/x") }
    await config.settled()
    var iterators = (0..<10).map { _ in routes.values.makeAsyncIterator() }
    for index in iterators.indices { #expect(await iterators[index].next()?.paths == ["/", "/x"]) }
    #expect(Routes.made.value == before + 2)
  }

  // article
  final class Upstream: Sendable {
    enum Phase: Sendable { case connecting, open, closed }

    private let current = BindableActor(Phase.connecting)
    var phase: some StateSource<Phase> { current.readOnly }

    func opened() { current.send(.open) }
  }
  // end

  // article
  func fetch(_ path: String, from upstream: Upstream) async -> String? {
    let open = await upstream.phase.first { $0 == .open }
    guard open != nil else { return nil }
    return "\(path) of the upstream"
  }
  // end

  @Test
  func `a read-only view, and waiting for a value`() async {
    let upstream = Upstream()
    async let fetched = fetch("/", from: upstream)
    #expect(upstream.phase.value == .connecting)
    upstream.opened()
    #expect(await fetched == "/ of the upstream")
    let task = Task { await fetch("/", from: Upstream()) }
    task.cancel()
    #expect(await task.value == nil)
  }

  @Test
  func `keeping two cells equal`() async {
    let (port, field, problem) = (BindableActor<UInt16>(80), BindableActor(""), BindableActor(""))
    // article
    struct NoPort: Error {
      let text: String
    }

    port.bindTwoWay(
      to: field,
      transform: { String($0) },
      reverse: { text in
        guard let port = UInt16(text) else { throw NoPort(text: text) }
        return port
      },
      onFailure: { problem.send("\($0)") }
    )
    // end
    #expect(field.value == "80")
    field.send("443")
    await port.settled()
    #expect(port.value == 443)
    field.send("http")
    await port.settled()
    #expect(port.value == 443)
    #expect(problem.value.contains("http"))
  }

  @Test
  func `targets and operators`() async {
    let (total, shown, metrics) = (BindableActor(0), BindableActor(0), DispatchQueue(label: "metrics"))
    // article
    final class Gauge: BindingTarget, Sendable {
      private let newest = Atomic(0)
      var reading: Int { newest.load(ordering: .relaxed) }

      func receive(_ count: Int) {
        newest.store(count, ordering: .relaxed)
      }
    }

    let gauge = Gauge()
    connections.map(\.count).bind(to: gauge, on: .queue(metrics))
    connections.map(\.count) ->> total
    total <->> shown
    // end
    connections.send(["a", "b"])
    await connections.settled()
    #expect(gauge.reading == 2)
    #expect(total.value == 2)
    await total.settled()
    #expect(shown.value == 2)
  }

  // article
  @MainActor
  final class Label: @MainActor BindingTarget {
    private(set) var text = ""

    func receive(_ text: String) { self.text = text }
  }

  @MainActor
  func show(
    _ name: BindableActor<String>,
    on label: Label,
    in log: BindingSink<String>
  ) -> BindingToken {
    name ->> label  // until the label goes
    name ->> log  // until the sink goes, and this until the token goes:
    return name.dropFirst() ->> { label.receive("\($0) (new)") }
  }
  // end

  @Test @MainActor
  func `targets on the main actor`() async {
    let (name, label) = (BindableActor("Ada"), Label())
    var lines: [String] = []
    let log = BindingSink<String> { lines.append($0) }
    let token = show(name, on: label, in: log)
    #expect(label.text == "Ada")
    name.send("Eve")
    await name.settled()
    #expect(label.text == "Eve (new)")
    #expect(lines == ["Ada", "Eve"])
    token.cancel()
    name.send("Kim")
    await name.settled()
    #expect(label.text == "Kim")
    withExtendedLifetime(log) {}
  }

  private func write(_ body: @Sendable () async -> Void) async {
    await body()
  }
}
