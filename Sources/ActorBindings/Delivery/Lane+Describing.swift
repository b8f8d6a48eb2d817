// What a lane tells diagnostics. A thread that asks may come while the lane runs, and a handler may hang. So the lane
// answers under the lock of the cell, whatever it is doing, and a thread asks for a limited number of observations at a
// time.
extension Lane {
  /// Describes the lane, and at most `limit` of its observations.
  ///
  /// - Parameter former: The observations that the last call has returned; empty for the first call. If all of them have
  ///   left since, this begins again with the first observation.
  package final func descriptionWhileLocked(
    after former: [Observation],
    limit: Int,
    _ roster: Roster
  ) -> LaneDescription {
    let isBusy = isRunningWhileLocked()
    var observations = state.observations(after: former, limit: limit).map {
      ObservationDescription($0, lag: $0.isArrival ? 0 : roster.version &- state.reached)
    }
    if !isBusy {
      // A running turn uses the positions of its observations without the lock.
      for index in observations.indices {
        let observation = observations[index].observation
        guard case .behind(let seen) = observation.perform(observation, .tellSeenWhileLocked) else {
          continue
        }
        observations[index].lag = roster.version &- seen
      }
    }
    return LaneDescription(isBusy: isBusy, count: state.count, observations: observations)
  }
}

/// What a lane and some of its observations are doing.
package struct LaneDescription: Sendable {
  /// Whether the lane is on its context.
  package let isBusy: Bool
  /// The number of observations that have not ended.
  package let count: Int
  package let observations: [ObservationDescription]
}

/// What diagnostics say of one observation.
package struct ObservationDescription: Sendable {
  package let observation: Observation
  /// The number of updates since the newest one that the observation has received or skipped. If the lane runs, the
  /// updates since the newest one that all of its observations are certainly done with.
  package fileprivate(set) var lag: UInt64

  fileprivate init(_ observation: Observation, lag: UInt64) {
    self.observation = observation
    self.lag = lag
  }

  package var location: CodeLocation? { observation.site.location }
  package var depth: UInt32 { observation.depth }
  /// Whether the observation ends with an owner, and not with its token.
  package var hasOwner: Bool { !observation.endsWithToken }
}

extension LaneState {
  /// Returns at most `limit` observations, beginning after the last one of `former` that the lane still has.
  fileprivate func observations(after former: [Observation], limit: Int) -> [Observation] {
    var next = residents.first ?? arrivals.first
    if let last = former.last(where: \.isListed) {
      next = last.next ?? (last.isArrival ? nil : arrivals.first)
    }
    var found: [Observation] = []
    while let link = next, found.count < limit {
      link.withObservation { observation in
        found.append(observation)
        next = observation.next ?? (observation.isArrival ? nil : arrivals.first)
      }
    }
    return found
  }
}
