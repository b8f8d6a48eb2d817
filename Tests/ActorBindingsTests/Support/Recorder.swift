/// Records elements in order, and lets a test wait for a number of them.
final class Recorder<Element: Sendable>: Sendable {
  private struct State {
    var elements: [Element] = []
    var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Guarded(State())

  var elements: [Element] { state.withLock { $0.elements } }
  var count: Int { state.withLock { $0.elements.count } }
  var last: Element? { state.withLock { $0.elements.last } }

  func record(_ element: Element) {
    let ready = state.withLock { state in
      state.elements.append(element)
      let count = state.elements.count
      let ready = state.waiters.filter { $0.count <= count }
      state.waiters.removeAll { $0.count <= count }
      return ready.map(\.continuation)
    }
    ready.forEach { $0.resume() }
  }

  /// Returns when `count` elements have been recorded.
  func reached(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        if state.elements.count >= count { return true }
        state.waiters.append((count, continuation))
        return false
      }
      if isReady { continuation.resume() }
    }
  }
}
