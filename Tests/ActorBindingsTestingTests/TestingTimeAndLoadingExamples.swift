import ActorBindings
import ActorBindingsTesting
import Testing

// The code between the markers is shown in the article `TestingTimeAndLoading`; the suite `ArticleTests` compares the two.

@Suite
struct TestingTimeAndLoadingExamples {
  // article
  @Test
  func `a query is made after three seconds without a key`() async throws {
    let (text, clock) = (BindableActor(""), ManualClock())
    let made = Recorder(text.debounce(for: .seconds(3), clock: clock))

    text.send("ca")
    try await clock.advance(by: .seconds(2))
    text.send("cat")
    try await clock.advance(by: .milliseconds(2_999))
    #expect(made.values.isEmpty)
    try await clock.advance(by: .milliseconds(1))
    #expect(made.values == ["cat"])
    #expect(clock.deadlines.isEmpty)
  }
  // end

  // article
  struct NoAnswer: Error {}

  @Test
  func `rates are loaded again a second after a failure`() async throws {
    let (clock, answer) = (ManualClock(), BindableActor<Int?>(nil))
    let policy = RetryPolicy.backoff(attempts: 2, first: .seconds(1))
    let rates = LoadingCell(retry: policy, clock: clock) {
      guard let rate = answer.value else { throw NoAnswer() }
      return rate
    }
    rates.startLoading()
    try await quiesce(rates)
    #expect(clock.deadlines.map(\.offset) == [.seconds(1)])
    #expect(rates.value.attempt?.number == 2)

    answer.send(7)
    try await clock.advance(by: .seconds(1))
    #expect(rates.value.content == 7)
  }

  @Test
  func `a profile shows that it is loading`() async throws {
    let gate = Gate()
    let profile = LoadingCell {
      try await gate.wait()
      return "Ann"
    }
    profile.startLoading()
    #expect(await gate.waiting.first { $0 == 1 } != nil)
    #expect(profile.value.isLoading)

    gate.open()
    #expect(try await profile.load() == "Ann")
  }

  @Test
  func `an error of an action is an event`() async throws {
    let ask = AsyncAction { (_: String) -> Void in throw NoAnswer() }
    let errors = Recorder(ask.errors)
    await #expect(throws: NoAnswer.self) { try await ask.execute("rates") }
    #expect(try await errors.next() is NoAnswer)
  }
  // end
}
