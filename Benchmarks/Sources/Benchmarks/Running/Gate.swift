import Synchronization

/// A gate that opens when a number of arrivals is reached.
final class Gate: Sendable {
  private struct State {
    var missing: Int
    var waiting: [UnsafeContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>

  init(_ count: Int = 1) {
    state = Mutex(State(missing: count))
  }

  func arrive() {
    let released = state.withLock { state in
      state.missing -= 1
      return state.missing == 0 ? state.waiting : []
    }
    released.forEach { $0.resume() }
  }

  /// The number of missing arrivals.
  var missing: Int { state.withLock { $0.missing } }

  /// Returns when all have arrived.
  func passed(isolation: isolated (any Actor)? = #isolation) async {
    await withUnsafeContinuation { continuation in
      let isOpen = state.withLock { state in
        if state.missing > 0 { state.waiting.append(continuation) }
        return state.missing <= 0
      }
      if isOpen { continuation.resume() }
    }
  }
}
