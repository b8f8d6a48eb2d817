internal import Synchronization

/// One turn that a custom context owes to a lane. If the context drops this object without running the turn, the object
/// abandons the lane.
final class ScheduledTurn: Sendable {
  private let lane: Lane
  private let hasStarted = Atomic(false)

  init(of lane: Lane) {
    self.lane = lane
  }

  deinit {
    if !hasStarted.load(ordering: .acquiring) { lane.abandon() }
  }

  /// Runs the turn, in the first call.
  func start() {
    guard !hasStarted.exchange(true, ordering: .acquiringAndReleasing) else { return }
    lane.runTurn()
  }
}
