/// A wait of one task until some deliverers have handled what was published before the wait.
// @unchecked: `lock` guards the variables. A thread may take `lock` while it holds the lock of a cell.
package final class SettledCall: @unchecked Sendable {
  private let lock = Lock()
  private var lanes = 0
  private var hasBeenCancelled = false
  private var resumption: Resumption?

  package init() {}

  var isCancelled: Bool { lock.withLock { hasBeenCancelled } }

  package func delivererJoined() {
    lock.withLock { lanes += 1 }
  }

  /// The task waits for each lane, and each reader of a relay, that has something left to handle.
  package func awaitsDeliverersWhileLocked(_ roster: Roster) {
    for deliverer in roster.deliverers { awaitsWhileLocked(deliverer, roster) }
  }

  /// The task waits for `deliverer`, if that has something left to handle.
  func awaitsWhileLocked(_ deliverer: Deliverer, _ roster: Roster) {
    if deliverer.settledCallJoinedWhileLocked(self, roster) { delivererJoined() }
  }

  /// The task begins to wait. Returns false if there is nothing to wait for, or if the task was cancelled.
  package func suspended(_ resumption: Resumption) -> Bool {
    lock.withLock {
      guard lanes > 0, !hasBeenCancelled else { return false }
      self.resumption = resumption
      return true
    }
  }

  /// One deliverer has handled all that this call waits for. The caller resumes the returned task after the lock.
  func delivererSettled() -> Resumption? {
    lock.withLock {
      lanes -= 1
      return lanes == 0 ? resumption.take() : nil
    }
  }

  /// The waiting task was cancelled. The caller resumes the returned task after the lock.
  package func wasCancelled() -> Resumption? {
    lock.withLock {
      hasBeenCancelled = true
      return resumption.take()
    }
  }

  /// Waits. Returns false if there was nothing to wait for, or if the task was cancelled.
  package func wait() async -> Bool {
    await withTaskCancellationHandler {
      var waits = false
      await Resumption.suspend { resumption in
        waits = suspended(resumption)
        return waits
      }
      return waits
    } onCancel: {
      SchedulePoint.insideRuntime {
        wasCancelled()?.resume()
      }
    }
  }
}
