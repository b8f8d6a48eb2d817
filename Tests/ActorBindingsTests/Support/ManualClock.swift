/// A clock that a test advances.
final class ManualClock: Clock {
  struct Instant: InstantProtocol, Sendable {
    var offset: Swift.Duration

    func advanced(by duration: Swift.Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Swift.Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct State {
    var now = Instant(offset: .zero)
    var looks = 0
    var ids = 0
    var sleepers: [Int: (instant: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
    var cancelled: Set<Int> = []
  }

  private let state = Guarded(State())

  var now: Instant {
    state.withLock { state in
      state.looks += 1
      return state.now
    }
  }
  var minimumResolution: Swift.Duration { .zero }

  /// The number of times that `now` was read.
  var looks: Int { state.withLock { $0.looks } }

  /// The number of tasks that sleep by this clock.
  var sleepers: Int { state.withLock { $0.sleepers.count } }

  func sleep(until instant: Instant, tolerance: Swift.Duration?) async throws {
    let id = state.withLock { state in
      state.ids += 1
      return state.ids
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result = state.withLock { state -> Result<Void, any Error>? in
          if state.cancelled.contains(id) { return .failure(CancellationError()) }
          if instant <= state.now { return .success(()) }
          state.sleepers[id] = (instant, continuation)
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        state.cancelled.insert(id)
        return state.sleepers.removeValue(forKey: id)?.continuation
      }
      sleeper?.resume(throwing: CancellationError())
    }
  }

  /// Advances the clock, and wakes the tasks whose deadline has come.
  func advance(by duration: Swift.Duration) {
    let awake = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let due = state.sleepers.filter { $0.value.instant <= state.now }
      for id in due.keys { state.sleepers[id] = nil }
      return due.values.map(\.continuation)
    }
    awake.forEach { $0.resume() }
  }

  /// Returns when exactly `count` tasks sleep by this clock.
  func slept(_ count: Int) async {
    await eventually { sleepers == count }
  }
}
