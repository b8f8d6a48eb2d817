import ActorBindings
import Testing

// The code between the markers is shown in the article `ComingFromCompositions`; the suite `ArticleTests` compares the
// two.

@Suite
struct ComingFromCompositions {
  private let clock = ManualClock()

  @Test
  func `a flag that decides`() async {
    let (messages, isLoggedIn, isPaused) = (BindableActor("a"), BindableActor(false), BindableActor(false))
    // article
    let afterLogin = combineLatest(messages, isLoggedIn)
      .drop { !$1 }
      .map { message, _ in message }
    typealias Messages = AnyBindingSource<String>
    let unlessPaused = isPaused.flatMapLatest { isPaused -> Messages in
      isPaused ? .never : messages.erased()
    }
    // end
    let late = afterLogin.values(backlog: .unbounded)
    messages.send("b")
    isLoggedIn.send(true)
    messages.send("c")
    var running = unlessPaused.values(backlog: .unbounded).makeAsyncIterator()
    #expect(await running.next() == "c")
    isPaused.send(true)
    await eventually { messages.observerCount == 1 }
    messages.send("d")
    messages.send("e")
    isPaused.send(false)
    #expect(await running.next() == "e")
    for flag in [isLoggedIn, isPaused] { flag.finish() }
    messages.finish()
    #expect(await running.next() == nil)
    #expect(await late.elements() == ["b", "c", "d", "e"])
  }

  @Test
  func `the first of several sources`() async {
    let (slow, fast) = (EventSource<String>(), EventSource<String>())
    let sending = Task {
      await eventually { fast.observerCount == 1 }
      fast.send("fast")
    }
    // article
    let first = await merge(fast, slow).first()

    let numbered = [fast, slow].enumerated().map { number, mirror in
      mirror.map { (number, $0) }
    }
    let followed = merge(numbered)
      .scan(nil as (winner: Int, value: String?)?) { race, new in
        let winner = race?.winner ?? new.0
        return (winner, new.0 == winner ? new.1 : nil)
      }
      .compactMap { $0?.value }
    // end
    await sending.value
    #expect(first == "fast")
    let (one, two) = (followed.values(backlog: .unbounded), followed.values(backlog: .unbounded))
    fast.send("1")
    slow.send("2")
    fast.send("3")
    let three = followed.values(backlog: .unbounded)
    slow.send("4")
    for source in [fast, slow] { source.finish() }
    #expect(await one.elements() == ["1", "3"])
    #expect(await two.elements() == ["1", "3"])
    #expect(await three.elements() == ["4"])
  }

  @Test
  func `values that are remembered`() async {
    let numbers = BindableActor(1)
    // article
    let none: PersistentDictionary<Int, Bool> = [:]
    let nothing = (seen: none, new: Int?.none)
    let unique = numbers.scan(nothing) { last, number in
      var seen = last.seen
      let isNew = seen.updateValue(true, forKey: number) == nil
      return (seen, isNew ? number : nil)
    }
    .compactMap(\.new)

    let allButTwo = numbers.scan([]) { Array(($0 + [$1]).suffix(3)) }
      .compactMap { $0.count == 3 ? $0[0] : nil }
    // end
    let (once, early) = (unique.values(backlog: .unbounded), allButTwo.values(backlog: .unbounded))
    for number in [2, 1, 3, 2, 4] { numbers.send(number) }
    numbers.finish()
    #expect(await once.elements() == [1, 2, 3, 4])
    #expect(await early.elements() == [1, 2, 1, 3])
  }

  @Test
  func `loops`() async {
    let (old, new) = (BindableActor("a"), BindableActor("b"))
    let (numbers, readings) = (BindableActor(11), BindableActor(1))
    let (shown, groups) = (Recorder<String>(), Recorder<[Int]>())
    func show(_ line: String) { shown.record(line) }
    func handle(_ group: [Int]) { groups.record(group) }
    let sending = Task {
      await eventually { old.observerCount == 1 }
      new.send("c")
      for cell in [old, new] { cell.finish() }
      await eventually { numbers.observerCount == 1 }
      for number in [12, 21, 15] { numbers.send(number) }
      numbers.finish()
      await eventually { readings.observerCount == 1 }
      for number in [2, 3] { readings.send(number) }
      readings.finish()
    }
    // article
    // Begins here, and misses nothing while the first loop runs.
    let later = new.values(backlog: .unbounded)
    for await line in old.values(backlog: .unbounded) { show(line) }
    for await line in later { show(line) }

    var group: [Int] = []
    for await number in numbers.values(backlog: .unbounded) {
      if let last = group.last, last / 10 != number / 10 {
        handle(group)
        group = []
      }
      group.append(number)
    }
    handle(group)

    let lastTwo = await readings.values(backlog: .unbounded)
      .reduce(into: []) { $0 = Array(($0 + [$1]).suffix(2)) }
    // end
    await sending.value
    #expect(shown.elements == ["a", "b", "c"])
    #expect(groups.elements == [[11, 12], [21], [15]])
    #expect(lastTwo == [2, 3])
  }

  @Test
  func `time`() async throws {
    let (messages, text, found) = (BindableActor("a"), BindableActor("s"), Recorder<String>())
    @Sendable func find(_ text: String) async { found.record(text) }
    let sending = Task {
      await clock.slept(1)
      text.send("swift")
      // The sleep for "s" was cancelled before the second call began.
      await eventually { clock.looks == 2 && clock.sleepers == 1 }
      clock.advance(by: .milliseconds(300))
      await found.reached(1)
      text.finish()
    }
    // article
    let minute = interval(.seconds(60), clock: clock)
    let firstMinute = messages.prefix(until: minute)

    try await text.forEachLatest { text in
      let pause = text.count < 3 ? Duration.seconds(1) : .milliseconds(300)
      try await clock.sleep(for: pause)
      await find(text)
    }

    let pauses = messages.map { _ in clock.now }.withPrevious()
      .compactMap { old, new in old?.duration(to: new) }
    // end
    await sending.value
    #expect(found.elements == ["swift"])
    let (context, times) = (ManualContext(), Recorder<Duration>())
    let token = pauses.observe(on: context.delivery, backlog: .unbounded) { times.record($0) }
    context.run()
    clock.advance(by: .seconds(5))
    messages.send("b")
    context.run()
    #expect(times.elements == [.seconds(5)])
    token.cancel()
    var early = firstMinute.values(backlog: .unbounded).makeAsyncIterator()
    #expect(await early.next() == "b")
    await eventually { clock.sleepers == 1 }
    clock.advance(by: .seconds(60))
    #expect(await early.next() == nil)
  }

  @Test
  func `failures`() throws {
    struct NoPort: Error {}
    @Sendable func parse(_ text: String) throws -> Int {
      guard let port = Int(text) else { throw NoPort() }
      return port
    }
    let field = BindableActor("80")
    // article
    let port = field.map { text in Result { try parse(text) } }
    // end
    #expect(try port.value.get() == 80)
    field.send("http")
    #expect(throws: NoPort.self) { try port.value.get() }
  }
}
