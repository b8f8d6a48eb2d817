// What a thread must do after an event of a lane that is not the end of a pass.
extension LaneState {
  /// What the caller does when the context is gone.
  struct AbandonOutcome: Sendable {
    /// The observations that the caller must remove.
    var gone: [Observation] = []
    /// The tasks to resume after the lock: they have waited for the lane.
    var resumed: [Resumption] = []
  }

  /// What a thread must do after it has cancelled an observation.
  struct CancelOutcome: Sendable {
    /// Whether the thread that has cancelled the observation must remove it. If not, the lane removes it.
    var mustRemove = false
    /// Whether the thread that has cancelled the observation must wake the lane.
    var mustWake = false
    /// The tasks to resume after the lock: they have waited for the observation.
    var resumed: [Resumption] = []
  }
}
