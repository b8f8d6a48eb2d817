import ActorBindings
import ActorBindingsTesting
import Foundation
import Testing

@Suite
struct ManualClockTests {
  private let clock = ManualClock()

  @Test
  func `the deadlines of the sleepers are known, the earliest first`() async throws {
    #expect(clock.deadlines.isEmpty)
    let tasks = [3, 1, 2].map { seconds in Task { [clock] in try await clock.sleep(for: .seconds(seconds)) } }
    #expect(await clock.sleepers.first { $0 == 3 } != nil)
    #expect(clock.deadlines.map(\.offset) == [.seconds(1), .seconds(2), .seconds(3)])
    clock.jump(by: .seconds(2))
    #expect(clock.deadlines.map(\.offset) == [.seconds(3)])
    tasks[0].cancel()
    await #expect(throws: CancellationError.self) { try await tasks[0].value }
    #expect(clock.deadlines.isEmpty)
    for task in tasks.dropFirst() { try await task.value }
  }

  @Test
  func `a test sees that a debounce is due neither earlier nor later`() async throws {
    let text = BindableActor("")
    let recorder = Recorder(text.debounce(for: .milliseconds(250), clock: clock))
    text.send("cat")
    try await clock.advance(by: .milliseconds(249))
    #expect(clock.deadlines.map(\.offset) == [.milliseconds(250)])
    #expect(recorder.values.isEmpty)
    try await clock.advance(by: .milliseconds(1))
    #expect(recorder.values == ["cat"])
    #expect(clock.sleepers.value == 0)
  }

  @Test
  func `a timer that is set meanwhile fires in the same call, at its own instant`() async throws {
    let text = BindableActor("")
    let quiet = text.debounce(for: .seconds(1), clock: clock)
    let instants = Recorder(
      quiet.delay(for: .seconds(2), clock: clock).map { [clock] in "\($0) at \(clock.now.offset)" }
    )
    text.send("cat")
    try await clock.advance(by: .seconds(10))
    #expect(instants.values == ["cat at 3.0 seconds"])
    #expect(clock.now.offset == .seconds(10))
  }

  @Test
  func `an interval ticks at each of its instants`() async throws {
    let ticks = Recorder(interval(.seconds(1), clock: clock).map { [clock] _ in clock.now.offset })
    try await clock.advance(by: .seconds(3))
    #expect(ticks.values.suffix(3) == [.seconds(1), .seconds(2), .seconds(3)])
  }

  @Test
  func `a load that fails is tried again at its instants`() async throws {
    let attempts = BindableActor(0)
    let rates = LoadingCell(retry: .backoff(attempts: 4, first: .seconds(1)), clock: clock) {
      let attempt = attempts.modify { attempts in
        attempts += 1
        return attempts
      }
      if attempt < 3 { throw NoAnswer() }
      return attempt
    }
    rates.startLoading()
    try await clock.advance(by: .milliseconds(999))
    #expect(attempts.value == 1)
    try await clock.advance(by: .milliseconds(1))
    #expect(attempts.value == 2)
    try await clock.advance(by: .seconds(60))
    #expect(rates.value.content == 3)
  }

  @Test
  func `a function that sleeps by the clock ends in the call, and what follows it has happened`() async throws
  {
    let text = BindableActor("cat")
    let found = text.mapLatest { [clock] text in
      try await clock.sleep(for: .seconds(1))
      await Task.yield()
      return text.uppercased()
    }
    let shown = BindableActor(
      initially: "",
      of: combineLatest(found, text).map { "\($0.content ?? "…") \($1)" }
    )
    let lines = Recorder(shown, on: .queue(DispatchQueue(label: "display")))
    try await quiesce(text)
    try await clock.advance(by: .milliseconds(999))
    #expect(lines.values.last == "… cat")
    try await clock.advance(by: .milliseconds(1))
    #expect(lines.values.last == "CAT cat")
    #expect(shown.value == "CAT cat")
  }

  @Test
  func `a feed opens its line again when its pause is over`() async throws {
    let (prices, link) = (BindableActor(0), BindableActor(LinkState.idle))
    let openings = BindableActor(0)
    prices.follow(retry: .backoff(attempts: 3, first: .seconds(5)), clock: clock, link: link) {
      let opening = openings.modify { openings in
        openings += 1
        return openings
      }
      if opening == 1 { throw NoAnswer() }
      return AsyncStream<Int> { continuation in continuation.yield(opening) }
    }
    try await clock.advance(by: .seconds(4))
    #expect(openings.value == 1)
    try await clock.advance(by: .seconds(1))
    #expect(openings.value == 2)
    #expect(await prices.first { $0 == 2 } == 2)
  }

  @Test
  func `an element of a sequence that sleeps by the clock has been written`() async throws {
    let (count, written) = (BindableActor(0), BindableActor(0))
    let ticks = AsyncStream<Int> { [clock] in
      try? await clock.sleep(for: .seconds(1))
      return count.modify { count in
        count += 1
        return count
      }
    }
    let token = written.follow(ticks)
    for number in 1...3 {
      _ = await clock.sleepers.first { $0 == 1 }
      try await clock.advance(by: .seconds(1))
      #expect(written.value == number)
    }
    token.cancel()
  }

  @Test
  func `a feed that its timer closes has been closed`() async throws {
    let ends = BindableActor(0)
    let link = BindableActor(LinkState.idle)
    let prices = feed(keepingOpen: .seconds(5), clock: clock, link: link) {
      AsyncStream<Int> { $0.yield(1) }
    } onEnd: { _ in
      ends.modify { $0 += 1 }
    }
    let recorder = Recorder(prices)
    try await recorder.expect([1])
    recorder.cancel()
    try await clock.advance(by: .milliseconds(4_999))
    #expect(ends.value == 0)
    try await clock.advance(by: .milliseconds(1))
    #expect(ends.value == 1)
    if case .idle = link.value {} else { Issue.record("the link is \(link.value)") }
  }

  @Test
  func `a call whose limit is over leaves the clock at the instant that it has reached`() async throws {
    let recorder = Recorder(interval(.seconds(1), clock: clock))
    await #expect(throws: QuiescenceError.self) {
      try await clock.advance(by: .seconds(1_000_000_000), within: .milliseconds(50))
    }
    #expect(clock.now.offset < .seconds(1_000_000_000))
    recorder.cancel()
  }
}

private struct NoAnswer: Error {}
