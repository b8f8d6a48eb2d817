/// The value of the cell in a `LoadingCell`: the state that readers see, and the state that a cancellation restores.
struct LoadingPhases<Content: Sendable>: Sendable {
  /// The state that readers see.
  private(set) var current = LoadingPhase<Content>.idle

  // The state after the last load that was not cancelled. The cancellation of a load restores this state.
  private var atRest = LoadingPhase<Content>.idle

  /// The content, if the last load has succeeded and no newer load is under way.
  var loaded: Content? {
    if case .loaded(let content) = current { content } else { nil }
  }

  /// An attempt is under way, or begins after its delay. Returns the new value of the cell; nil if `attempt` is a first
  /// attempt, and `current` shows a first attempt already.
  func attempted(_ attempt: LoadingAttempt) -> LoadingPhases? {
    if attempt.number == 1, current.attempt?.number == 1 { return nil }
    var phases = self
    phases.current = current.content.map { .reloading($0, attempt) } ?? .loading(attempt)
    return phases
  }

  /// A load has ended. Returns the new value of the cell.
  func ended(_ result: Result<Content, any Error>) -> LoadingPhases {
    var phases = self
    switch result {
    case .success(let content): phases.atRest = .loaded(content)
    case .failure(let error): phases.atRest = .failed(error, last: current.content)
    }
    return phases.cancelled()
  }

  /// A load is cancelled. Returns the new value of the cell.
  func cancelled() -> LoadingPhases {
    var phases = self
    phases.current = atRest
    return phases
  }
}
