/// One wait in `settled()`: until several lanes, of a cell and of the cells that follow it, have handled what was published.
// @unchecked: `lock` guards the variables. It may be taken under the lock of a cell.
package final class Settlement: @unchecked Sendable {
  private let lock = Lock()
  private var lanes = 0
  private var hasGivenUp = false
  private var resumption: Resumption?

  package init() {}

  var isGivenUp: Bool { lock.withLock { hasGivenUp } }

  package func awaitsLane() {
    lock.withLock { lanes += 1 }
  }

  /// The task waits for each lane, and each reader of a relay, that has something left to handle.
  func awaitsDeliverersWhileLocked(_ roster: Roster) {
    for deliverer in roster.deliverers where deliverer.awaitsSettlementWhileLocked(self, roster) {
      awaitsLane()
    }
  }

  /// The task begins to wait. Returns false if there is nothing to wait for, or the task has given up.
  package func begins(_ resumption: Resumption) -> Bool {
    lock.withLock {
      guard lanes > 0, !hasGivenUp else { return false }
      self.resumption = resumption
      return true
    }
  }

  /// One lane has nothing left. The caller resumes the returned task after the lock.
  func laneSettled() -> Resumption? {
    lock.withLock {
      lanes -= 1
      return lanes == 0 ? resumption.take() : nil
    }
  }

  /// The waiting task was cancelled. The caller resumes the returned task after the lock.
  package func givenUp() -> Resumption? {
    lock.withLock {
      hasGivenUp = true
      return resumption.take()
    }
  }
}

extension AnyCell {
  package final func settled() async {
    let settlement = Settlement()
    var visited: [ObjectIdentifier: AnyCell] = [:]
    while true {
      // A reader of a relay may hand over to one that reads another follower, which is visited then.
      let others = withFollowers.filter { visited[ObjectIdentifier($0)] == nil }
      if others.isEmpty { break }
      for cell in others {
        visited[ObjectIdentifier(cell)] = cell
        cell.read(for: .reading) { settlement.awaitsDeliverersWhileLocked($0) }
      }
    }
    let hasSuspended = await withTaskCancellationHandler {
      var waits = false
      await Resumption.suspend { resumption in
        waits = settlement.begins(resumption)
        return waits
      }
      return waits
    } onCancel: {
      SchedulePoint.insideRuntime {
        settlement.givenUp()?.resume()
      }
    }
    if !hasSuspended { await CooperativeYield.callDidNotSuspend() }
  }
}
