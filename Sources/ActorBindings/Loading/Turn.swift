/// Waits until it is its turn, or its task is cancelled.
// @unchecked: guarded by `lock`.
final class Turn: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`.
  private var isOver = false
  // Guarded by `lock`.
  private var hasLostItsPlace = false
  // Guarded by `lock`.
  private var resumption: Resumption?

  /// Returns when it is its turn, or its task is cancelled; which of these, is asked of who gives the turns.
  nonisolated(nonsending) func come() async {
    await withTaskCancellationHandler {
      await Resumption.suspend { resumption in
        lock.withLock {
          if !isOver { self.resumption = resumption }
          return !isOver
        }
      }
    } onCancel: {
      // Inside the runtime: nothing but this.
      SchedulePoint.insideRuntime { give() }
    }
  }

  /// Somebody else has taken its place.
  var isDisplaced: Bool { lock.withLock { hasLostItsPlace } }

  func displace() {
    lock.withLock { hasLostItsPlace = true }
    give()
  }

  /// It is its turn. Never under a lock.
  func give() {
    let resumption = lock.withLock {
      isOver = true
      return self.resumption.take()
    }
    resumption?.resume()
  }
}
