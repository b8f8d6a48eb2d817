import ActorBindings

/// State behind a lock that the thread sanitizer understands. The sanitizer does not understand a contended `Mutex`.
// @unchecked: `state` is guarded by `lock`.
final class Guarded<State>: @unchecked Sendable {
  private let lock = Lock()
  private var state: State

  init(_ state: sending State) {
    self.state = state
  }

  func withLock<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    lock.withLock { body(&state) }
  }
}
