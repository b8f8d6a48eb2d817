import Synchronization

/// A clock that the benchmark moves, so that no waiting is measured.
final class ManualClock: Clock {
  struct Instant: InstantProtocol, Sendable {
    var offset: Swift.Duration

    func advanced(by duration: Swift.Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Swift.Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private typealias Sleeping = UnsafeContinuation<Void, Never>

  private struct State {
    var now = Instant(offset: .zero)
    var sleepers: [Int: (until: Instant, continuation: Sleeping)] = [:]
    var lastID = 0
  }

  private let state = Mutex(State())

  var now: Instant { state.withLock { $0.now } }
  var minimumResolution: Swift.Duration { .zero }

  func sleep(until instant: Instant, tolerance: Swift.Duration? = nil) async throws {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    await withTaskCancellationHandler {
      await withUnsafeContinuation { (continuation: Sleeping) in
        let mustWait = state.withLock { state in
          guard state.now < instant, !Task.isCancelled else { return false }
          state.sleepers[id] = (instant, continuation)
          return true
        }
        if !mustWait { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.sleepers.removeValue(forKey: id)?.continuation }?.resume()
    }
    try Task.checkCancellation()
  }

  /// Wakes the tasks whose deadline has come.
  func advance(by duration: Swift.Duration) {
    let awake = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let due = state.sleepers.filter { $0.value.until <= state.now }
      for id in due.keys { state.sleepers[id] = nil }
      return due.values.map(\.continuation)
    }
    for continuation in awake { continuation.resume() }
  }
}
