/// One call of `settled()`. The call waits until the deliverers of a cell, and of the cells that follow that cell, have
/// handled what was published before the call.
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
  func awaitsDeliverersWhileLocked(_ roster: Roster) {
    for deliverer in roster.deliverers where deliverer.settledCallJoinedWhileLocked(self, roster) {
      delivererJoined()
    }
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
}

extension AnyCell {
  package final func settled() async {
    let call = SettledCall()
    var visited: [ObjectIdentifier: AnyCell] = [:]
    while true {
      // Looks for followers again after each round: meanwhile a reader of a relay may have handed over to a reader of
      // another follower.
      let others = withFollowers.filter { visited[ObjectIdentifier($0)] == nil }
      if others.isEmpty { break }
      for cell in others {
        visited[ObjectIdentifier(cell)] = cell
        cell.read(for: .reading) { call.awaitsDeliverersWhileLocked($0) }
      }
    }
    let hasSuspended = await withTaskCancellationHandler {
      var waits = false
      await Resumption.suspend { resumption in
        waits = call.suspended(resumption)
        return waits
      }
      return waits
    } onCancel: {
      SchedulePoint.insideRuntime {
        call.wasCancelled()?.resume()
      }
    }
    if !hasSuspended { await CooperativeYield.callDidNotSuspend() }
  }
}
