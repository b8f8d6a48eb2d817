/// Decides what follows the end of one sequence of a feed: another attempt, or the end. A pure state machine: no clock,
/// no task.
///
/// ### States
/// - *connecting*: attempt `number` is under way. The attempts before it have failed in a row.
/// - *flowing*: the newest sequence has yielded an element.
/// - *waiting*: the delay before attempt `number` runs.
///
/// ### Transitions
/// | event | connecting | flowing | waiting |
/// |---|---|---|---|
/// | `elementCame` | flowing | nothing | – |
/// | `sequenceEnded`, by a failure | waiting for the next number, or over | waiting for attempt 2, or over | – |
/// | `sequenceEnded`, otherwise | over | over | – |
/// | `delayPassed` | – | – | connecting |
///
/// ### Behavior
/// Only an element makes the attempts count from 1 again. So a server that accepts each connection and closes it at
/// once is asked less and less often.
package struct FeedState {
  /// The number of the attempt that is under way or comes next.
  package private(set) var number = 1
  private var lastError: (any Error)?
  private let reopensAtEnd: Bool

  package init(reopensAtEnd: Bool) {
    self.reopensAtEnd = reopensAtEnd
  }

  /// The attempt that is under way.
  package var attempt: LoadingAttempt { LoadingAttempt(number: number, lastError: lastError) }

  package mutating func elementCame() {
    number = 1
    lastError = nil
  }

  /// What follows the end of a sequence.
  package enum Step: Sendable {
    /// Wait for the delay of this attempt, and open the feed again.
    case wait(LoadingAttempt, Duration)
    case end(FollowOutcome)
  }

  package mutating func sequenceEnded(by outcome: FollowOutcome, _ retry: RetryPolicy) -> Step {
    let error: any Error
    switch outcome {
    case .failed(let failure): error = failure
    case .finished where reopensAtEnd: error = FeedEnded()
    case .finished, .cancelled: return .end(outcome)
    }
    guard let delay = retry.delay(number, error) else { return .end(outcome) }
    number += 1
    lastError = error
    return .wait(LoadingAttempt(number: number, startsIn: delay, lastError: error), delay)
  }
}
