import ActorBindings
import Testing

@Suite
struct FeedStateTests {
  private struct Broken: Error {}

  private let retry = RetryPolicy { attempt, _ in attempt < 3 ? .seconds(attempt) : nil }

  private func text(_ step: FeedState.Step) -> String {
    switch step {
    case .wait(let attempt, let delay):
      "\(attempt.number) after \(delay), \(attempt.lastError.map { "\($0)" } ?? "")"
    case .end(let outcome): "\(LinkState.ended(outcome))"
    }
  }

  @Test
  func `failures in a row are counted, until the policy gives up`() {
    var state = FeedState(reopensAtEnd: false)
    #expect(state.attempt.number == 1 && state.attempt.lastError == nil)
    #expect(text(state.sequenceEnded(by: .failed(Broken()), retry)) == "2 after 1.0 seconds, Broken()")
    #expect(state.attempt.number == 2 && state.attempt.lastError is Broken && state.attempt.startsIn == nil)
    #expect(text(state.sequenceEnded(by: .failed(Broken()), retry)) == "3 after 2.0 seconds, Broken()")
    #expect(text(state.sequenceEnded(by: .failed(Broken()), retry)) == "ended: Broken()")
  }

  @Test
  func `an element makes the attempts count from one again`() {
    var state = FeedState(reopensAtEnd: false)
    for _ in 0..<5 {
      _ = state.sequenceEnded(by: .failed(Broken()), retry)
      #expect(state.number == 2)
      state.elementCame()
      #expect(state.attempt.number == 1 && state.attempt.lastError == nil)
    }
  }

  @Test
  func `a sequence that ends without an error ends the feed, unless that counts as a failure`() {
    var state = FeedState(reopensAtEnd: false)
    #expect(text(state.sequenceEnded(by: .finished, retry)) == "ended")
    state = FeedState(reopensAtEnd: true)
    #expect(text(state.sequenceEnded(by: .finished, retry)) == "2 after 1.0 seconds, FeedEnded()")
    #expect(text(state.sequenceEnded(by: .cancelled, retry)) == "cancelled")
    #expect(text(state.sequenceEnded(by: .finished, .never)) == "ended")
  }
}
