/// Wakes a relay's driver at an instant of a clock. The timer has a task only while it is scheduled.
// @unchecked: each variable says what guards it.
@usableFromInline
final class RelayTimer<C: Clock>: @unchecked Sendable where C.Duration: Sendable {
  @usableFromInline let clock: C
  private let turns: RelayTurns
  // The relay's cell. The driver holds it too.
  private let cell: AnyCell

  private let lock = Lock()
  // Guarded by `lock`.
  private var task: Task<Void, Never>?
  // Used only in the relay's turns, so Swift need not check for overlapping accesses.
  @exclusivity(unchecked) @usableFromInline var storedIsScheduled = false
  // Guarded by `lock`.
  private var isCancelled = false

  @usableFromInline
  init(_ clock: C, in turns: RelayTurns, for cell: AnyCell) {
    self.clock = clock
    self.turns = turns
    self.cell = cell
    clock.willBeUsed(by: cell)
  }

  @inlinable var now: C.Instant { clock.now }

  /// Whether the timer will call `fire`. Used only in the relay's turns.
  @inlinable var isScheduled: Bool { unsafe storedIsScheduled }

  /// Calls `fire` at `instant`, in a turn of the relay. Calls `fire` again at each instant that `fire` returns, until
  /// `fire` returns nil. Called in the relay's turn, while the timer is not scheduled. If a value comes while the timer
  /// is scheduled, the next `fire` returns the later instant. So such a value costs no task.
  @usableFromInline
  func schedule(at instant: C.Instant, _ fire: @escaping @Sendable () -> C.Instant?) {
    unsafe storedIsScheduled = true
    sleep(until: instant, fire)
  }

  private func sleep(until instant: C.Instant, _ fire: @escaping @Sendable () -> C.Instant?) {
    // Detached: the task inherits neither the task-local values nor the priority of a writer, on whose thread the turn
    // may run.
    let record = CellTask.started(for: cell)
    let task = Task.detached { [clock, turns, weak self] in
      let isDue = await CellTask.run(record) { await clock.slept(until: instant) }
      guard isDue, let self else {
        record?.ended()
        return
      }
      turns.perform(
        .call {
          self.fired(fire)
          record?.ended()
        }
      )
    }
    // The timer fires in a turn of the relay, and this function runs in one. So the timer cannot fire before this
    // function has returned.
    let isLate = lock.withLock {
      if !isCancelled { self.task = task }
      return isCancelled
    }
    if isLate { task.cancel() }
  }

  private func fired(_ fire: @escaping @Sendable () -> C.Instant?) {
    let next = fire()
    let task = lock.withLock { self.task.take() }
    _ = consume task
    if let next { sleep(until: next, fire) } else { unsafe storedIsScheduled = false }
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

extension Clock {
  /// Sleeps until `instant`, and tries again if the clock fails. Returns false if the task was cancelled meanwhile.
  func slept(until instant: Instant) async -> Bool {
    var pauses = RetryPauses()
    while true {
      do {
        try await sleeping { try await sleep(until: instant, tolerance: nil) }
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
  @usableFromInline var bounded: Self {
    let positive = max(self, .zero)
    guard let century = Swift.Duration.seconds(100 * 365 * 24 * 3600) as? Self else { return positive }
    return min(positive, century)
  }
}
