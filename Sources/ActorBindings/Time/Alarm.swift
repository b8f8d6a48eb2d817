/// Wakes a relay's driver at an instant of a clock. There is a task for it only while it is set.
// @unchecked: each variable says what guards it.
final class Alarm<C: Clock>: @unchecked Sendable where C.Duration: Sendable {
  private let clock: C
  private let actor: RelayActor

  private let lock = Lock()
  // Guarded by `lock`.
  private var task: Task<Void, Never>?
  // The relay's isolation's own.
  private var isSet = false
  // Guarded by `lock`.
  private var isCancelled = false

  init(_ clock: C, on actor: RelayActor) {
    self.clock = clock
    self.actor = actor
  }

  var now: C.Instant { clock.now }

  /// Calls `ring` at `instant`, on the relay's isolation, and again at the instant that it returns, until it returns
  /// none. If it is set already nothing happens: `ring` will see to it. On the relay's isolation.
  func set(for instant: C.Instant, _ ring: @escaping @Sendable () -> C.Instant?) {
    if isSet { return }
    isSet = true
    let task = Task { [clock, actor, weak self] in
      var next: C.Instant? = instant
      while let instant = next {
        // Cancelled: nobody wants to be woken any more.
        do { try await clock.sleep(until: instant, tolerance: nil) } catch { return }
        next = await actor.awaken(self, ring)
      }
    }
    // It rings on this isolation, so not before this.
    let isLate = lock.withLock {
      if !isCancelled { self.task = task }
      return isCancelled
    }
    if isLate { task.cancel() }
  }

  /// It rang, and is not to ring again. On the relay's isolation, in the step that decided so.
  fileprivate func rested() {
    isSet = false
    let task = lock.withLock { self.task.take() }
    _ = consume task
  }

  /// From anywhere.
  func cancel() {
    let task = lock.withLock { () -> Task<Void, Never>? in
      isCancelled = true
      return self.task.take()
    }
    task?.cancel()
  }
}

extension RelayActor {
  fileprivate func awaken<C: Clock>(
    _ alarm: Alarm<C>?,
    _ ring: @Sendable () -> C.Instant?
  ) -> C.Instant? {
    let next = ring()
    if next == nil { alarm?.rested() }
    return next
  }
}
