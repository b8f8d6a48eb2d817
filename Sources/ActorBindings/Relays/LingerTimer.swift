/// Measures the time for which a relay lingers: its driver goes on for a while when no reader is left.
///
/// Readers may come and leave very often. If each of them started a timer, there would be as many sleeping tasks as
/// readers have left within the time. So one task sleeps at a time. If readers have come and left again meanwhile, the
/// task finds a later instant when it wakes, and sleeps again.
@usableFromInline
class LingerTimer: @unchecked Sendable {
  /// Calls `passed` with `number` when the time has passed, counted from this call. If another call comes before, calls
  /// `passed` only with the number of that call. `cell` is the relay's cell.
  func restart(_ number: Int, for cell: AnyCell, _ passed: @escaping @Sendable (Int) -> Void) {
    preconditionFailure("\(type(of: self)) does not measure time")
  }
}

/// A `LingerTimer` with a clock.
// @unchecked: `lock` guards the variables.
@usableFromInline
final class ClockLingerTimer<C: Clock>: LingerTimer, @unchecked Sendable where C.Duration: Sendable {
  private struct PendingStop: Sendable {
    let instant: C.Instant
    let number: Int
  }

  private let clock: C
  private let time: C.Duration
  private let lock = Lock()
  // Guarded by `lock`. Nil if no task sleeps.
  private var pending: PendingStop?

  @usableFromInline
  init(_ time: C.Duration, _ clock: C) {
    self.time = time.bounded
    self.clock = clock
  }

  override func restart(_ number: Int, for cell: AnyCell, _ passed: @escaping @Sendable (Int) -> Void) {
    // Calls the clock before the lock, because a clock is user code.
    let new = PendingStop(instant: clock.now.advanced(by: time), number: number)
    let mustSleep = lock.withLock { () -> Bool in
      // Another thread may have begun to linger later, and may have come here first.
      defer { if pending.map({ $0.number < number }) ?? true { pending = new } }
      return pending == nil
    }
    if mustSleep { startSleeping(for: cell, passed) }
  }

  private func startSleeping(for cell: AnyCell, _ passed: @escaping @Sendable (Int) -> Void) {
    let record = CellTask.started(for: cell)
    Task.detached {
      await CellTask.run(record) { await self.sleep(passed) }
      record?.ended()
    }
  }

  private func sleep(_ passed: @Sendable (Int) -> Void) async {
    while let next = lock.withLock({ pending }) {
      _ = await clock.slept(until: next.instant)
      let isLast = lock.withLock { () -> Bool in
        guard pending?.number == next.number else { return false }
        pending = nil
        return true
      }
      if isLast { return passed(next.number) }
    }
  }
}
