/// Somebody waits until several lanes, of a cell and of those that follow it, have handled what was published.
// @unchecked: guarded by `lock`, which is taken under that of a cell.
package final class Settlement: @unchecked Sendable {
  private let lock = Lock()
  private var lanes = 0
  private var hasGivenUp = false
  private var resumption: Resumption?

  package init() {}

  var isGivenUp: Bool { lock.withLock { hasGivenUp } }

  var isAwaited: Bool { lock.withLock { lanes > 0 } }

  func awaitsLane() {
    lock.withLock { lanes += 1 }
  }

  /// False if there is nothing to wait for.
  func begins(_ resumption: Resumption) -> Bool {
    lock.withLock {
      guard lanes > 0, !hasGivenUp else { return false }
      self.resumption = resumption
      return true
    }
  }

  /// One lane has nothing left. Returns who is to be resumed, after the lock.
  func laneSettled() -> Resumption? {
    lock.withLock {
      lanes -= 1
      return lanes == 0 ? resumption.take() : nil
    }
  }

  /// The waiting task was cancelled. Returns who is to be resumed, after the lock.
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
    for cell in withFollowers {
      cell.locked(for: .looking) { roster in
        for waiter in roster.lanes.values {
          let waits =
            switch waiter {
            case let lane as Lane: lane.awaitsSettlement(settlement, roster)
            case let reader as RelayReader: reader.awaitsSettlement(settlement, roster)
            default: false
            }
          if waits { settlement.awaitsLane() }
        }
      }
    }
    guard settlement.isAwaited else { return await CooperativeYield.callDidNotSuspend() }
    await withTaskCancellationHandler {
      await Resumption.suspend { resumption in
        settlement.begins(resumption)
      }
    } onCancel: {
      SchedulePoint.insideRuntime {
        settlement.givenUp()?.resume()
      }
    }
  }
}
