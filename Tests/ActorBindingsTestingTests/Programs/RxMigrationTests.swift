import ActorBindings
import ActorBindingsTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct RxMigrationTests {
  struct Failed: Error {}

  private let clock = ManualClock()
  private let number = BindableActor(0)
  private let text = BindableActor("")
  private let events = EventSource<String>()
  private let taps = EventSource<Void>()

  @Test
  func `a relay that counts`() {
    RxMigration.increment(number)
    #expect(number.value == 1)
  }

  @Test
  func `withLatestFrom`() async throws {
    let submitted = Recorder(RxMigration.submitted(text, on: taps))
    text.send("a")
    taps.send()
    text.send("b")
    taps.send()
    try await submitted.expect(["a", "b"])
  }

  @Test
  func `combineLatest and distinctUntilChanged`() async throws {
    let password = BindableActor("")
    let isValid = Recorder(RxMigration.isValid(text, password))
    text.send("a")
    password.send("12345678")
    password.send("123456789")
    text.send("")
    try await isValid.expect([false, true, false])
  }

  @Test
  func `merge and scan`() async throws {
    let down = EventSource<Void>()
    let counter = Recorder(RxMigration.counter(taps, down))
    taps.send()
    taps.send()
    down.send()
    try await counter.expect([1, 2, 1])
  }

  @Test
  func `zip`() async throws {
    let answers = EventSource<String>()
    let lines = Recorder(RxMigration.dialogue(events, answers).map { "\($0): \($1)" })
    events.send("one")
    events.send("two")
    answers.send("1")
    answers.send("2")
    try await lines.expect(["one: 1", "two: 2"])
  }

  @Test
  func `debounce`() async throws {
    let query = RxMigration.query(text, clock: clock)
    let queries = Recorder(query)
    for words in [["a"], ["ab", "a"], ["ab"]] {
      words.forEach(text.send)
      try await clock.advance(by: .milliseconds(300))
    }
    try await queries.expect(["a", "ab"])
  }

  @Test
  func `flatMapLatest of a request, and catchAndReturn`() async throws {
    let results = Recorder(
      RxMigration.results(text) { text in
        if text == "bad" { throw Failed() }
        return [text]
      }
    )
    try await results.first(1)
    text.send("bad")
    try await results.first(2)
    text.send("a")
    try await results.expect([[""], [], ["a"]])
  }

  @Test
  func `flatMapLatest of a source`() async throws {
    let (user, ann) = (BindableActor<String?>(nil), BindableActor(["hello"]))
    let messages = Recorder(RxMigration.messages(of: user, in: ["ann": ann]))
    try await messages.first(1)
    user.send("ann")
    try await messages.first(2)
    ann.modify { $0.append("bye") }
    try await messages.first(3)
    user.send("bob")
    try await messages.expect([[], ["hello"], ["hello", "bye"], []])
  }

  @Test
  func `throttle`() async throws {
    let shown = Recorder(RxMigration.display(number, clock: clock))
    try await shown.first(1)
    for progress in 1...3 { number.send(progress) }
    try await clock.advance(by: .seconds(1))
    try await shown.expect([0, 3])
  }

  @Test
  func `startWith`() async throws {
    let prices = EventSource<Int>()
    let shown = Recorder(RxMigration.shown(prices))
    prices.send(12)
    try await shown.expect([0, 12])
  }

  @Test
  func `share and replay`() async {
    let (config, calls) = (BindableActor("1"), BindableActor(0))
    let parsed = RxMigration.parsed(config) { text in
      calls.modify { $0 += 1 }
      return Int(text) ?? 0
    }
    let readers = [Recorder(parsed), Recorder(parsed)]
    config.send("2")
    await parsed.settled()
    #expect(readers.map(\.values) == [[1, 2], [1, 2]])
    #expect(calls.value == 2)
  }

  @Test
  func `pairwise`() async throws {
    let steps = Recorder(RxMigration.steps(number))
    number.send(3)
    number.send(2)
    try await steps.expect([3, -1])
  }

  @Test
  func `skip and take until`() async throws {
    let moves = Recorder(RxMigration.moves(number, until: taps))
    number.send(1)
    taps.send()
    number.send(2)
    #expect(try await moves.end() == [1])
  }

  @Test
  func `buffer`() async throws {
    let batches = Recorder(RxMigration.batches(events, clock: clock))
    for line in 0..<101 { events.send("\(line)") }
    try await batches.first(1)
    try await clock.advance(by: .seconds(1))
    #expect(try await batches.first(2).map(\.count) == [100, 1])
  }

  @Test
  func `concatMap`() async throws {
    let gate = Gate()
    let stored = Recorder(
      RxMigration.stored(events) { name in
        if name == "slow" { try? await gate.wait() }
        return name.count
      }
    )
    events.send("slow")
    events.send("a")
    try await expectValue(1, of: gate.waiting)
    #expect(stored.values.isEmpty)
    gate.open()
    try await stored.expect([4, 1])
  }

  @Test
  func `retry`() async throws {
    let calls = BindableActor(0)
    func rates(failures: Int) async throws -> Int {
      calls.send(0)
      return try await RxMigration.rates {
        let call = calls.modify {
          $0 += 1; return $0
        }
        if call <= failures { throw Failed() }
        return 7
      }
    }
    #expect(try await rates(failures: 2) == 7)
    await #expect(throws: Failed.self) { try await rates(failures: 3) }
    #expect(calls.value == 3)
  }

  @Test
  func `interval and flatMapFirst`() async throws {
    let gate = Gate()
    let status = Recorder(
      RxMigration.status(clock: clock) {
        try? await gate.wait()
        return "ready"
      }
    )
    for _ in 1...3 {
      try await clock.advance(by: .seconds(10))
    }
    try await expectValue(1, of: gate.waiting)
    gate.open()
    try await status.expect(["ready", "ready"])
  }

  @Test(arguments: [true, false])
  func `timeout`(becomesReady: Bool) async throws {
    let isReady = BindableActor(false)
    async let hasWaited = RxMigration.waits(for: isReady, clock: clock)
    try await expectValue(1, of: clock.sleepers)
    if becomesReady { isReady.send(true) } else { try await clock.advance(by: .seconds(5)) }
    #expect(await hasWaited == becomesReady)
  }

  @Test @MainActor
  func `bind and disposed by`() async {
    let (label, bag) = (NameLabel(), DisposeBag())
    RxMigration.show(text, on: label, in: bag)
    text.send("ada")
    await text.settled()
    #expect(label.text == "ada")
    bag.dispose()
    text.send("bob")
    await text.settled()
    #expect(label.text == "ada")
  }

  @Test
  func `flatMapFirst and trackActivity`() async throws {
    let gate = Gate()
    let saving = RxMigration.saving { try await gate.wait() }
    #expect(saving.start())
    #expect(saving.isExecuting.value)
    #expect(!saving.start())
    gate.open()
    try await expectValue(false, of: saving.isExecuting)
  }
}
