/// Somebody waits until several lanes have handled what was published.
// @unchecked: guarded by the cell's lock.
final class Settlement: @unchecked Sendable {
  private var lanes = 0
  private(set) var isGivenUp = false
  private var resumption: Resumption?

  func awaitsLane() {
    lanes += 1
  }

  /// False if there is nothing to wait for.
  func begins(_ resumption: Resumption) -> Bool {
    guard lanes > 0, !isGivenUp else { return false }
    self.resumption = resumption
    return true
  }

  /// One lane has nothing left. Returns who is to be resumed, after the lock.
  func laneSettled() -> Resumption? {
    lanes -= 1
    return lanes == 0 ? resumption.take() : nil
  }

  /// The waiting task was cancelled. Returns who is to be resumed, after the lock.
  func givenUp() -> Resumption? {
    isGivenUp = true
    return resumption.take()
  }
}

extension AnyCell {
  package final func settled() async {
    let settlement = Settlement()
    locked { roster in
      for case let lane as Lane in roster.lanes.values where lane.awaitsSettlement(settlement, roster) {
        settlement.awaitsLane()
      }
    }
    await withTaskCancellationHandler {
      await Resumption.suspend { resumption in
        locked { _ in settlement.begins(resumption) }
      }
    } onCancel: {
      SchedulePoint.insideRuntime {
        let resumption = locked { _ in settlement.givenUp() }
        resumption?.resume()
      }
    }
  }
}
