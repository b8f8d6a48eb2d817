import Synchronization

// Hand-written code that delivers fewer values. The handlers are called in order, under the lock. A handler that calls
// back deadlocks.

/// Delivers a value when no other value has come for some time, with one task while a value waits.
final class LockedDebounce: Sendable {
  private struct State {
    var waiting: Int?
    var deadline: ManualClock.Instant
  }

  private let quiet: Duration
  private let clock: ManualClock
  private let state: Mutex<State>
  private let handler: Handler

  init(for quiet: Duration, _ clock: ManualClock, _ handler: @escaping Handler) {
    self.quiet = quiet
    self.clock = clock
    self.handler = handler
    state = Mutex(State(deadline: clock.now))
  }

  func send(_ value: Int) {
    let deadline = clock.now.advanced(by: quiet)
    let isFirst = state.withLock { state in
      defer { (state.waiting, state.deadline) = (value, deadline) }
      return state.waiting == nil
    }
    if isFirst { Task { await ring(at: deadline) } }
  }

  private func ring(at instant: ManualClock.Instant) async {
    var next: ManualClock.Instant? = instant
    while let instant = next {
      try? await clock.sleep(until: instant)
      next = state.withLock { state in
        if clock.now < state.deadline { return state.deadline }
        if let value = state.waiting.take() { handler(value) }
        return nil
      }
    }
  }
}

/// Delivers a value when no other value has come for some time, with a task for each value. Each value cancels the task
/// of the previous value.
final class TaskDebounce: Sendable {
  private let quiet: Duration
  private let clock: ManualClock
  private let newest = Mutex<Task<Void, Never>?>(nil)
  private let handler: Handler

  init(for quiet: Duration, _ clock: ManualClock, _ handler: @escaping Handler) {
    self.quiet = quiet
    self.clock = clock
    self.handler = handler
  }

  func send(_ value: Int) {
    let deadline = clock.now.advanced(by: quiet)
    let next = Task { [clock, handler] in
      do { try await clock.sleep(until: deadline) } catch { return }
      handler(value)
    }
    let last = newest.withLock { newest in
      defer { newest = next }
      return newest
    }
    last?.cancel()
  }
}

/// Delivers at most one value in an interval, the newest, with one task while a value waits.
final class LockedThrottle: Sendable {
  private struct State {
    var waiting: Int?
    // The time from which the next value may be delivered.
    var opening: ManualClock.Instant
  }

  private let interval: Duration
  private let clock: ManualClock
  private let state: Mutex<State>
  private let handler: Handler

  init(for interval: Duration, _ clock: ManualClock, _ handler: @escaping Handler) {
    self.interval = interval
    self.clock = clock
    self.handler = handler
    state = Mutex(State(opening: clock.now))
  }

  func send(_ value: Int) {
    let opening = state.withLock { state -> ManualClock.Instant? in
      if state.waiting == nil, clock.now >= state.opening {
        handOver(value, &state)
        return nil
      }
      defer { state.waiting = value }
      return state.waiting == nil ? state.opening : nil
    }
    if let opening { Task { await ring(at: opening) } }
  }

  private func ring(at instant: ManualClock.Instant) async {
    try? await clock.sleep(until: instant)
    state.withLock { state in
      if let value = state.waiting.take() { handOver(value, &state) }
    }
  }

  private func handOver(_ value: Int, _ state: inout State) {
    state.opening = clock.now.advanced(by: interval)
    handler(value)
  }
}
