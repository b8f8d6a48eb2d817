import ActorBindings
import WebServer

/// What the page shows about the exchange.
package struct Condition: Sendable, Equatable {
  package var isGood: Bool
  package var text: String

  init(_ health: LoadingPhase<Int>) {
    isGood = health.error == nil && health.attempt?.lastError == nil
    text =
      switch health {
      case .idle: "not asked yet"
      case .loading(let attempt): Condition.text(attempt) ?? "asking"
      case .loaded(let milliseconds): Condition.text(milliseconds)
      case .reloading(let milliseconds, let attempt): Condition.text(attempt) ?? Condition.text(milliseconds)
      case .failed(let error, let last): "\(error)" + (last.map { "; before, \(Condition.text($0))" } ?? "")
      }
  }

  private static func text(_ milliseconds: Int) -> String { "answers in \(milliseconds) ms" }

  // The first attempt is the normal case, and is not shown.
  private static func text(_ attempt: LoadingAttempt) -> String? {
    attempt.lastError.map { error in
      let start = attempt.startsIn.map { "in \(Int($0 / .milliseconds(1))) ms" } ?? "now"
      return "\(error); attempt \(attempt.number) \(start)"
    }
  }

  var json: String { "{\"isGood\":\(isGood),\"text\":\(text.json)}" }
}
