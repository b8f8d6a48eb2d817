import Synchronization

/// Hand-written code that delivers the newest value to any number of loops: a lock, a version, and the waiting loops. A
/// cancelled loop ends. Loops are resumed after the lock.
final class Watch: Sendable {
  typealias Waiting = UnsafeContinuation<Void, Never>

  private struct State {
    var value: Int
    var version: UInt64 = 0
    var isFinished = false
    var waiting: [Int: Waiting] = [:]
    var lastID = 0

    mutating func takeWaiting() -> [Int: Waiting] {
      let taken = waiting
      if !taken.isEmpty { waiting = [:] }
      return taken
    }
  }

  private let state: Mutex<State>

  init(_ value: Int) {
    state = Mutex(State(value: value))
  }

  func send(_ value: Int) {
    let waiting = state.withLock { state in
      state.value = value
      state.version &+= 1
      return state.takeWaiting()
    }
    for continuation in waiting.values { continuation.resume() }
  }

  func finish() {
    let waiting = state.withLock { state in
      state.isFinished = true
      return state.takeWaiting()
    }
    for continuation in waiting.values { continuation.resume() }
  }

  func receiver() -> Receiver {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    return Receiver(watch: self, id: id)
  }

  /// The position of one loop.
  struct Receiver {
    let watch: Watch
    let id: Int
    var seen: UInt64?

    mutating func next(isolation: isolated (any Actor)? = #isolation) async -> Int? {
      while !Task.isCancelled {
        let seen = seen
        let news = watch.state.withLock { ($0.version, $0.value, $0.isFinished) }
        if news.0 != seen {
          self.seen = news.0
          return news.1
        }
        if news.2 { return nil }
        await watch.wait(id, seen)
      }
      return nil
    }
  }

  private func wait(_ id: Int, _ seen: UInt64?, isolation: isolated (any Actor)? = #isolation) async {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { (continuation: Waiting) in
        let mustWait = state.withLock { state in
          guard state.version == seen, !state.isFinished, !Task.isCancelled else { return false }
          state.waiting[id] = continuation
          return true
        }
        if !mustWait { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
    }
  }
}
