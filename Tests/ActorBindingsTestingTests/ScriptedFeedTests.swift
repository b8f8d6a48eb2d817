import ActorBindings
import ActorBindingsTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ScriptedFeedTests {
  struct Dropped: Error, Equatable {}

  private let feed = ScriptedFeed<Int>()
  private let price = BindableActor(0)
  private let link = BindableActor(LinkState.idle)
  private let clock = ManualClock()

  private func follow() {
    price.follow(retry: .backoff(first: .seconds(1)), clock: clock, link: link) { [feed] in
      try await feed.open()
    }
  }

  @Test
  func `an element has been handled when send returns`() async throws {
    follow()
    for element in 1...1_000 {
      try await feed.send(element)
      #expect(price.value == element)
    }
    #expect(feed.attempts.value == 1)
  }

  @Test(arguments: [Dropped(), nil])
  func `the end of a line is handled when the clock has advanced`(error: Dropped?) async throws {
    price.follow(retry: .backoff(first: .seconds(1)), clock: clock, reopensAtEnd: true, link: link) {
      [feed] in try await feed.open()
    }
    try await feed.send(1)
    try await feed.end(throwing: error)
    try await clock.advance(by: .milliseconds(999))
    #expect(feed.attempts.value == 1)
    #expect(!feed.isOpen.value)
    #expect(link.value.attempt?.lastError is Dropped == (error != nil))
    try await clock.advance(by: .milliseconds(1))
    #expect(feed.attempts.value == 2)
    #expect(feed.isOpen.value)
    try await feed.send(2)
    #expect(price.value == 2)
  }

  @Test
  func `quiesce waits for what follows the end of a line`() async throws {
    for _ in 0..<100 {
      let (feed, price, end) = (ScriptedFeed<Int>(), BindableActor(0), BindableActor<Bool>(false))
      price.follow(try await feed.open()) { _ in end.send(true) }
      try await feed.end()
      try await quiesce(price)
      #expect(end.value)
    }
  }

  @Test
  func `a refused line fails with the error, until the feed accepts again`() async throws {
    feed.refuse(with: Dropped())
    follow()
    try await clock.advance(by: .seconds(1))
    #expect(feed.attempts.value == 2)
    #expect(link.value.attempt?.lastError is Dropped)
    feed.accept()
    try await clock.advance(by: .seconds(2))
    #expect(link.value.isLive)
  }

  @Test
  func `a newer line ends the one before it`() async throws {
    let first = try await feed.open()
    let rest = Task { try await first.reduce(into: [Int]()) { $0.append($1) } }
    try await feed.send(1)
    let second = try await feed.open()
    #expect(try await rest.value == [1])
    price.follow(second)
    try await feed.send(2)
    #expect(price.value == 2)
  }

  @Test
  func `sends of several tasks are handed over one after the other`() async throws {
    let recorder = Recorder(price)
    follow()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for element in 1...100 { group.addTask { [feed] in try await feed.send(element) } }
      try await group.waitForAll()
    }
    #expect(recorder.values.sorted() == Array(0...100))
  }

  @Test
  func `a reader that is cancelled closes its line, and an element is not lost on it`() async throws {
    let token = price.follow(try await feed.open())
    try await feed.send(1)
    token.cancel()
    try await expectValue(false, of: feed.isOpen)
    let sending = Task { [feed] in try await feed.send(2) }
    price.follow(try await feed.open())
    try await sending.value
    #expect(price.value == 2)
  }

  @Test
  func `a reader that stops iterating closes its line`() async throws {
    let line = try await feed.open()
    let first = Task { try await line.first { _ in true } }
    try await feed.send(1)
    #expect(try await first.value == 1)
    try await expectValue(false, of: feed.isOpen)
    #expect(try await line.first { _ in true } == nil)
  }

  @Test
  func `a send ends when the code under test opens another line in place of asking`() async throws {
    let line = try await feed.open()
    let gate = Gate()
    let reading = Task { [feed] in
      for try await _ in line {
        let next = try await feed.open()
        try await gate.wait()
        withExtendedLifetime(next) {}
      }
    }
    try await feed.send(1)
    #expect(feed.attempts.value == 2)
    reading.cancel()
    await #expect(throws: CancellationError.self) { try await reading.value }
  }

  @Test
  func `an element that is not taken is released without the lock`() async throws {
    let (feed, wasAccepted) = (ScriptedFeed<Releasing>(), BindableActor(false))
    let reading = Task {
      for try await _ in try await feed.open() {}
    }
    try await expectValue(true, of: feed.isOpen)
    let sending = Task {
      try await feed.send(
        Releasing {
          feed.accept()
          wasAccepted.send(true)
        }
      )
    }
    reading.cancel()
    sending.cancel()
    _ = await (reading.result, sending.result)
    try await expectValue(true, of: wasAccepted)
  }

  @Test
  func `a line that is released is closed`() async throws {
    do { _ = try await feed.open() }
    #expect(!feed.isOpen.value)
  }

  @Test
  func `a task that is cancelled opens no line`() async throws {
    let opening = Task { [feed] in
      unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
      return try await feed.open()
    }
    await #expect(throws: CancellationError.self) { _ = try await opening.value }
    #expect(feed.attempts.value == 0)
  }

  @Test
  func `a call that is cancelled throws`() async {
    let sending = Task { [feed] in try await feed.send(1) }
    sending.cancel()
    await #expect(throws: CancellationError.self) { try await sending.value }
  }

  @Test
  func `an error says what the code under test did not do`() async throws {
    try await expectMessage("send(1): no line was open within 0.0 seconds, after 0 calls of open") {
      try await feed.send(1, within: .zero, fileID: "Test", line: 9)
    }
    let line = try await feed.open()
    try await expectMessage(
      "end: the line is open, but no element was asked for within 0.0 seconds, after 1 call of open"
    ) {
      try await feed.end(within: .zero, fileID: "Test", line: 9)
    }
    let gate = Gate()
    gate.open()
    let reading = Task {
      for try await _ in line { try await gate.wait() }
    }
    try await feed.send(6)
    gate.close()
    try await expectMessage(
      "send(7): the element was received, but the next one was not asked for within 0.1 seconds, after 1 call of open"
    ) {
      try await feed.send(7, within: .milliseconds(100), fileID: "Test", line: 9)
    }
    reading.cancel()
    await #expect(throws: CancellationError.self) { try await reading.value }
  }

  private func expectMessage(_ message: String, of body: () async throws -> Void) async throws {
    let error = await #expect(throws: ScriptedFeedError.self) { try await body() }
    #expect(error?.description == "Test:9: \(message)")
  }
}

/// Calls a function when it is released.
private final class Releasing: Sendable {
  private let released: @Sendable () -> Void

  init(_ released: @escaping @Sendable () -> Void) {
    self.released = released
  }

  deinit {
    released()
  }
}
