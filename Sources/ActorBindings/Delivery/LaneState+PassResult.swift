extension LaneState {
  /// The result of one pass.
  struct PassResult {
    /// The version that the pass has shown. Nil if this was not a pass, but the first call of one observation.
    private let shown: UInt64?
    /// All visited observations have received all elements up to this version, except those that have ended; nil if
    /// there is no such version.
    private(set) var completed: UInt64?
    /// The observations that have ended in the pass.
    var ended: [Observation]
    /// Whether some observations have more to see.
    private(set) var hasLaggards = false
    /// The first observation that the pass did not visit, because the turn was over; nil if it visited all.
    var rest: ObservationLink?
    /// Whether the pass looked for dead owners.
    let sweeps: Bool

    init(showing shown: UInt64?, ended: [Observation] = [], sweeps: Bool = false) {
      self.shown = shown
      completed = shown
      self.ended = ended
      self.sweeps = sweeps
    }

    /// An observation has more to see. It has received all elements up to `version`; nil if there is no such version.
    mutating func fellBehind(at version: UInt64?) {
      hasLaggards = true
      completed = Self.earlier(completed, version)
    }

    /// Whether this was not only the first call of one observation.
    var isPass: Bool { shown != nil }

    /// Whether the pass has visited all observations, and each of them is still there and has received everything.
    var hasReachedAll: Bool { isPass && ended.isEmpty && !hasLaggards && rest == nil }

    /// Whether each observation has received all elements up to `version`.
    func hasCompleted(_ version: UInt64) -> Bool {
      completed.map { $0 >= version } ?? false
    }

    /// Returns the earlier of two versions; nil if one of them is nil.
    static func earlier(_ left: UInt64?, _ right: UInt64?) -> UInt64? {
      guard let left, let right else { return nil }
      return min(left, right)
    }
  }
}
