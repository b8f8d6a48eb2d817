package import ActorBindings
import WebServer

/// What the page shows about the exchange.
package struct Condition: Sendable, Equatable {
  package var isGood: Bool
  package var text: String
  /// Since when this is so: for an answer, when the answer came.
  package var since: ContinuousClock.Instant

  package init(_ health: LoadingPhase<Health.Reply>) {
    isGood = health.error == nil && health.attempt?.lastError == nil
    since = .now
    switch health {
    case .idle: text = "not asked yet"
    case .loading(let attempt): text = Condition.text(attempt) ?? "asking"
    case .loaded(let reply): (text, since) = (Condition.text(reply), reply.received)
    case .reloading(let reply, let attempt):
      if let failure = Condition.text(attempt) {
        text = failure
      } else {
        (text, since) = (Condition.text(reply), reply.received)
      }
    case .failed(let error, let last):
      text = "\(error)" + (last.map { "; before, \(Condition.text($0))" } ?? "")
    }
  }

  private static func text(_ reply: Health.Reply) -> String { "answers in \(reply.milliseconds) ms" }

  // The first attempt is the normal case, and is not shown.
  private static func text(_ attempt: LoadingAttempt) -> String? {
    attempt.lastError.map { error in
      let start = attempt.startsIn.map { "in \(Int($0 / .milliseconds(1))) ms" } ?? "now"
      return "\(error); attempt \(attempt.number) \(start)"
    }
  }

  /// The clocks of server and browser differ, so the page receives an age, in milliseconds.
  package var json: String {
    let age = Int(max(0, (ContinuousClock.now - since) / .milliseconds(1)))
    return "{\"isGood\":\(isGood),\"text\":\(text.json),\"age\":\(age)}"
  }
}
