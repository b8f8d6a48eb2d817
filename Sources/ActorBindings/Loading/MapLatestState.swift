/// Decides what `mapLatest` does with the values of its source, and what its readers see. A pure state machine.
///
/// ### States
/// - *idle*: no body runs.
/// - *running*: the body for the newest value runs.
/// - *superseded*: a body that was cancelled runs, and the newest value waits for its end.
///
/// ### Transitions
/// | event | idle | running | superseded |
/// |---|---|---|---|
/// | `valueCame` | running: the body starts | superseded: the body is cancelled | the new value waits in place of the old one |
/// | `bodyEnded` | – | idle: the result is shown | running: the body for the value that waits starts |
/// | `sourceEnded` | the readers end | nothing | nothing |
///
/// When the source has ended, the readers end after the result for its last value is shown.
///
/// ### Actions
/// The caller publishes `Decision.shown` first, and then takes `Decision.step`.
///
/// ### Behavior
/// One body runs at a time, and at most one value waits. The result of a body that was cancelled is never shown. A
/// value that comes while readers see *loading* changes nothing that readers see.
package struct MapLatestState<Value: Sendable, Content: Sendable>: Sendable {
  /// What the readers see.
  package private(set) var phase = LoadingPhase<Content>.idle

  private let keepsLast: Bool
  private var isRunning = false
  // The newest value, in the state *superseded*.
  private var waiting: Value?
  private var hasSourceEnded = false

  /// - Parameter keepsLast: Whether the readers see the content of the last success while a body runs, and after it has
  ///   failed.
  package init(keepingLast keepsLast: Bool) {
    self.keepsLast = keepsLast
  }

  /// What an event obliges the caller to do.
  package struct Decision: Sendable {
    /// What the readers see from now on; nil if that does not change.
    package var shown: LoadingPhase<Content>?
    package var step = Step.nothing
  }

  package enum Step: Sendable {
    case nothing
    /// Start the body for this value.
    case start(Value)
    /// Cancel the body that runs.
    case cancel
    /// End the readers.
    case finish
  }

  /// The source has a new value.
  package mutating func valueCame(_ value: Value) -> Decision {
    var decision = Decision()
    if isRunning {
      if waiting == nil { decision.step = .cancel }
      waiting = value
    } else {
      isRunning = true
      decision.step = .start(value)
    }
    if !phase.isLoading { decision.shown = shown(loading) }
    return decision
  }

  private var loading: LoadingPhase<Content> {
    guard keepsLast, let content = phase.content else { return .loading(LoadingAttempt()) }
    return .reloading(content, LoadingAttempt())
  }

  /// The body has ended.
  package mutating func bodyEnded(_ result: Result<Content, any Error>) -> Decision {
    precondition(isRunning, "a body ended that did not run")
    if let value = waiting.take() { return Decision(step: .start(value)) }
    isRunning = false
    let step = hasSourceEnded ? Step.finish : .nothing
    switch result {
    case .success(let content): return Decision(shown: shown(.loaded(content)), step: step)
    case .failure(let error): return Decision(shown: shown(.failed(error, last: phase.content)), step: step)
    }
  }

  /// The source has ended.
  package mutating func sourceEnded() -> Decision {
    hasSourceEnded = true
    return Decision(step: isRunning ? .nothing : .finish)
  }

  private mutating func shown(_ phase: LoadingPhase<Content>) -> LoadingPhase<Content> {
    self.phase = phase
    return phase
  }
}
