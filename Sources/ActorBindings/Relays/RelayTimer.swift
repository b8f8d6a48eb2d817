/// Wakes a relay's driver at an instant of a clock. The timer has a task only while it is scheduled.
// @unchecked: each variable says what guards it.
final class RelayTimer<C: Clock>: @unchecked Sendable where C.Duration: Sendable {
  private let clock: C
  private let actor: RelayActor

  private let lock = Lock()
  // Guarded by `lock`.
  private var task: Task<Void, Never>?
  // Used only on the relay's isolation.
  private var isScheduled = false
  // Guarded by `lock`.
  private var isCancelled = false

  init(_ clock: C, on actor: RelayActor) {
    self.clock = clock
    self.actor = actor
  }

  var now: C.Instant { clock.now }

  /// Calls `fire` at `instant`, on the relay's isolation. Calls `fire` again at each instant that `fire` returns, until
  /// `fire` returns nil. Does nothing if the timer is scheduled already: then the `fire` of the earlier call returns
  /// the later instant. Called on the relay's isolation.
  func schedule(at instant: C.Instant, _ fire: @escaping @Sendable () -> C.Instant?) {
    if isScheduled { return }
    isScheduled = true
    let task = Task { [clock, actor, weak self] in
      var next: C.Instant? = instant
      while let instant = next, await clock.slept(until: instant) {
        next = await actor.fire(self, fire)
      }
    }
    // The timer fires on the relay's isolation, where this function runs. So it cannot fire before this function has
    // returned.
    let isLate = lock.withLock {
      if !isCancelled { self.task = task }
      return isCancelled
    }
    if isLate { task.cancel() }
  }

  /// The timer has fired, and must not fire again. Called on the relay's isolation, in the step in which `fire` has
  /// returned nil.
  fileprivate func ended() {
    isScheduled = false
    let task = lock.withLock { self.task.take() }
    _ = consume task
  }

  /// Cancels the timer for good. Any thread may call this.
  func cancel() {
    let task = lock.withLock { () -> Task<Void, Never>? in
      isCancelled = true
      return self.task.take()
    }
    task?.cancel()
  }
}

extension RelayActor {
  fileprivate func fire<C: Clock>(
    _ timer: RelayTimer<C>?,
    _ fire: @Sendable () -> C.Instant?
  ) -> C.Instant? {
    let next = fire()
    if next == nil { timer?.ended() }
    return next
  }
}

extension Clock {
  /// Sleeps until `instant`, and tries again if the clock fails. Returns false if the task was cancelled meanwhile.
  fileprivate func slept(until instant: Instant) async -> Bool {
    var pauses = RetryPauses()
    while true {
      do {
        try await sleep(until: instant, tolerance: nil)
        return true
      } catch {
        if Task.isCancelled { return false }
        if now >= instant { return true }
      }
      if let pause = pauses.next() { try? await ContinuousClock().sleep(for: pause) }
    }
  }
}

/// The pauses between attempts at something that fails. There is no pause after the first failure. Each later pause is
/// longer, up to a second. So a call that always fails does not occupy a processor.
package struct RetryPauses {
  private var failures = 0

  package init() {}

  package mutating func next() -> Swift.Duration? {
    defer { failures = min(failures + 1, 11) }
    return failures == 0 ? nil : min(.milliseconds(1 << (failures - 1)), .seconds(1))
  }
}

extension DurationProtocol {
  /// This duration, but at least zero and at most a century: a clock's instant overflows if it is advanced by the
  /// longest durations.
  var bounded: Self {
    let positive = max(self, .zero)
    guard let century = Swift.Duration.seconds(100 * 365 * 24 * 3600) as? Self else { return positive }
    return min(positive, century)
  }
}
