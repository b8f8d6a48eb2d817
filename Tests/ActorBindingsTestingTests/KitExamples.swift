import ActorBindings
import ActorBindingsTesting
import Foundation
import Testing

// The code between the markers is shown on the first page of the documentation of `ActorBindingsTesting`;
// `ArticleTests` compares the two.

// article
/// Suggests names for what the user types.
final class Suggestions: Sendable {
  let text = BindableActor("")
  let names: BindableActor<[String]> = BindableActor([])
  private let bag = DisposeBag()

  init(
    _ search: @escaping @Sendable (String) async throws -> [String],
    on context: DeliveryContext = .main,
    clock: some Clock<Duration> = ContinuousClock()
  ) {
    text.debounce(for: .milliseconds(250), clock: clock)
      .mapLatest { try await search($0) }
      .observe(self, on: context) { suggestions, result in
        guard case .loaded(let names) = result else { return }
        suggestions.names.send(names)
      }
      .store(in: bag)
  }
}
// end

@Suite
struct KitExamples {
  // article
  @Test
  func `a search begins after 250 ms without a key`() async throws {
    let clock = ManualClock()
    let suggestions = Suggestions(
      { ["\($0)!"] },
      on: .immediate,
      clock: clock
    )
    let names = Recorder(suggestions.names)

    suggestions.text.send("ca")
    suggestions.text.send("cat")
    try await clock.advance(by: .milliseconds(249))
    #expect(names.values == [[]])
    try await clock.advance(by: .milliseconds(1))
    #expect(names.values == [[], ["cat!"]])
  }
  // end

  // article
  @Test
  func `a newer text cancels the search for the older one`() async throws {
    let (clock, gate) = (ManualClock(), Gate())
    let suggestions = Suggestions(
      { text in
        if text == "slow" { try await gate.wait() }
        return [text]
      },
      on: .immediate,
      clock: clock
    )
    let names = Recorder(suggestions.names)

    suggestions.text.send("slow")
    try await clock.advance(by: .milliseconds(250))
    #expect(gate.waiting.value == 1)

    suggestions.text.send("fast")
    try await clock.advance(by: .milliseconds(250))
    #expect(gate.waiting.value == 0)
    #expect(names.values == [[], ["fast"]])
  }
  // end

  // article
  struct Dropped: Error {}

  @Test
  func `a line that drops is opened again after a second`() async throws {
    let (ticks, clock) = (ScriptedFeed<Int>(), ManualClock())
    let price = BindableActor(0)
    let policy = RetryPolicy.backoff(first: .seconds(1))
    price.follow(retry: policy, clock: clock) { try await ticks.open() }
    try await ticks.send(12)
    #expect(price.value == 12)

    try await ticks.end(throwing: Dropped())
    try await clock.advance(by: .milliseconds(999))
    #expect(!ticks.isOpen.value)
    try await clock.advance(by: .milliseconds(1))
    try await ticks.send(13)
    #expect(price.value == 13)
  }
  // end

  // article
  @Test
  func `a busy view shows only the newest price`() {
    let (price, context) = (BindableActor(0), ManualContext())
    let shown = Recorder(price, on: context.delivery, backlog: .latest)
    context.pumpAll()
    for eur in 1...3 { price.send(eur) }
    #expect(context.pending == 1)
    context.pumpAll()
    #expect(shown.values == [0, 3])
    #expect(shown.updates.last?.skipped == 2)
  }
  // end
}
