import ActorBindings

/// A clock that a test advances, and that can be paused as the clock of a suspended process is: then time passes, but
/// no task wakes.
// @unchecked: `lock` guards `state`.
final class PausableClock: Clock, @unchecked Sendable {
  struct Instant: InstantProtocol, Sendable {
    var offset: Duration

    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct State {
    var now = Instant(offset: .zero)
    var isPaused = false
    var ids = 0
    var sleepers: [Int: (instant: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
    var cancelled: Set<Int> = []

    mutating func takeDue() -> [CheckedContinuation<Void, any Error>] {
      guard !isPaused else { return [] }
      let due = sleepers.filter { $0.value.instant <= now }
      for id in due.keys { sleepers[id] = nil }
      return due.values.map(\.continuation)
    }
  }

  private let lock = Lock()
  private var state = State()

  var now: Instant { lock.withLock { state.now } }
  var minimumResolution: Duration { .zero }

  /// The number of tasks that sleep by this clock.
  var sleepers: Int { lock.withLock { state.sleepers.count } }

  func sleep(until instant: Instant, tolerance: Duration?) async throws {
    let id = lock.withLock {
      state.ids += 1
      return state.ids
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result = lock.withLock { () -> Result<Void, any Error>? in
          if state.cancelled.contains(id) { return .failure(CancellationError()) }
          if !state.isPaused, instant <= state.now { return .success(()) }
          state.sleepers[id] = (instant, continuation)
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      let sleeper = lock.withLock {
        state.cancelled.insert(id)
        return state.sleepers.removeValue(forKey: id)?.continuation
      }
      sleeper?.resume(throwing: CancellationError())
    }
  }

  /// Advances the clock, and wakes the tasks whose time has come, unless the clock is paused.
  func advance(by duration: Duration) {
    let awake = lock.withLock {
      state.now = state.now.advanced(by: duration)
      return state.takeDue()
    }
    awake.forEach { $0.resume() }
  }

  /// From now on, no task wakes.
  func pause() {
    lock.withLock { state.isPaused = true }
  }

  /// Wakes the tasks whose time has come during the pause.
  func unpause() {
    let awake = lock.withLock {
      state.isPaused = false
      return state.takeDue()
    }
    awake.forEach { $0.resume() }
  }

  /// Returns when a task sleeps until the current time plus `duration`.
  func sleepsFor(_ duration: Duration) async {
    await waitUntil {
      lock.withLock { state.sleepers.values.contains { $0.instant.offset == state.now.offset + duration } }
    }
  }

  /// Returns when exactly `count` tasks sleep by this clock.
  func slept(_ count: Int) async {
    await waitUntil { sleepers == count }
  }

  /// Lets time pass in small steps until `condition` holds.
  func advance(until condition: () -> Bool) async {
    while !condition() {
      advance(by: .milliseconds(50))
      for _ in 0..<5 { await giveWay() }
    }
  }
}
