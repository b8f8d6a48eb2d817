// What a lane tells diagnostics. A thread that asks may come while the lane runs, and a handler may hang. So the lane
// answers under the lock of the cell, whatever it is doing, and a thread asks for a limited number of observations at a
// time.
extension Lane {
  /// Describes the lane, and at most `limit` of its observations.
  ///
  /// - Parameter former: The observations that the last call has returned; empty for the first call. If all of them have
  ///   left since, this begins again with the first observation.
  package final func descriptionWhileLocked(
    after former: [ObservationDescription],
    limit: Int,
    _ roster: Roster
  ) -> LaneDescription {
    let isBusy = isRunningWhileLocked()
    let last = former.last { $0.observation.isListed }?.observation
    var observations: [ObservationDescription] = []
    observations.reserveCapacity(min(limit, state.count))
    state.forEach(after: last, limit: limit) { observation in
      var lag = observation.isArrival ? 0 : roster.version &- state.reached
      // A running turn uses the positions of its observations without the lock.
      if !isBusy, case .behind(let seen) = observation.perform(observation, .tellSeenWhileLocked) {
        lag = roster.version &- seen
      }
      observations.append(ObservationDescription(observation, lag: lag))
    }
    return LaneDescription(
      isBusy: isBusy,
      count: state.count,
      beginsAgain: last == nil && !former.isEmpty,
      observations: observations
    )
  }
}

/// What a lane and some of its observations are doing.
package struct LaneDescription: Sendable {
  /// Whether the lane is on its context.
  package let isBusy: Bool
  /// The number of observations that have not ended.
  package let count: Int
  /// Whether the observations may be some that were described before, because all observations of the last call have
  /// left since.
  package let beginsAgain: Bool
  package let observations: [ObservationDescription]
}

/// What diagnostics say of one observation.
package struct ObservationDescription: Sendable {
  package let observation: Observation
  /// The number of updates since the newest one that the observation has received or skipped. If the lane runs, the
  /// updates since the newest one that all of its observations are certainly done with.
  package let lag: UInt64
  package let depth: UInt32

  fileprivate init(_ observation: Observation, lag: UInt64) {
    self.observation = observation
    self.lag = lag
    depth = observation.depth
  }

  package var site: CallSite { observation.site }
  /// Whether the observation ends with an owner, and not with its token.
  package var hasOwner: Bool { !observation.endsWithToken }
}

extension LaneState {
  /// Calls `body` with at most `limit` observations: those after `last`, or the first ones if that is nil.
  fileprivate func forEach(after last: Observation?, limit: Int, _ body: (Observation) -> Void) {
    var next = residents.first ?? arrivals.first
    if let last { next = last.next ?? (last.isArrival ? nil : arrivals.first) }
    var count = 0
    while let link = next, count < limit {
      count += 1
      link.withObservation { observation in
        body(observation)
        next = observation.next ?? (observation.isArrival ? nil : arrivals.first)
      }
    }
  }
}
