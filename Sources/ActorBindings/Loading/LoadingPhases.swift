/// What is known of the content of a `LoadingCell`: the value of its cell.
struct LoadingPhases<Content: Sendable>: Sendable {
  /// What readers see.
  private(set) var current = Loading<Content>.idle

  // How the last load has ended: a load that is cancelled leaves this.
  private var atRest = Loading<Content>.idle

  /// What is loaded, if no newer load is wanted.
  var loaded: Content? {
    if case .loaded(let content) = current { content } else { nil }
  }

  /// An attempt is under way, or is waited for. Nil if readers know that already.
  func attempted(_ attempt: LoadingAttempt) -> LoadingPhases? {
    if attempt.number == 1, current.attempt?.number == 1 { return nil }
    var phases = self
    phases.current = current.content.map { .reloading($0, attempt) } ?? .loading(attempt)
    return phases
  }

  /// A load has ended.
  func ended(_ result: Result<Content, any Error>) -> LoadingPhases {
    var phases = self
    switch result {
    case .success(let content): phases.atRest = .loaded(content)
    case .failure(let error): phases.atRest = .failed(error, last: current.content)
    }
    return phases.cancelled()
  }

  /// A load is given up.
  func cancelled() -> LoadingPhases {
    var phases = self
    phases.current = atRest
    return phases
  }
}
