/// An uncounted reference to an observation. Code that uses the reference must know that a list still holds the
/// observation.
@safe
@usableFromInline
package struct ObservationLink: @unchecked Sendable {
  private let observation: Unmanaged<Observation>

  fileprivate init(retaining observation: Observation) {
    unsafe self.observation = .passRetained(observation)
  }

  fileprivate func release() {
    unsafe observation.release()
  }

  @inline(__always)
  func withObservation<Result>(_ body: (Observation) -> Result) -> Result {
    unsafe observation._withUnsafeGuaranteedRef(body)
  }

  func leads(to other: Observation) -> Bool {
    withObservation { $0 === other }
  }
}

/// Observations in the order in which they began.
///
/// This is a linked list, so that a walk counts no references, and the removal of any member takes one step. The list
/// holds one counted reference to each member.
struct ObservationList {
  private(set) var first: ObservationLink?
  private(set) var last: ObservationLink?

  mutating func append(_ observation: Observation) {
    let link = ObservationLink(retaining: observation)
    observation.isListed = true
    observation.previous = last
    if let last { last.withObservation { $0.next = link } } else { first = link }
    last = link
  }

  /// Removes a member. The caller also holds a reference to the member, and releases that reference after the lock.
  mutating func remove(_ observation: Observation) {
    let link = if let previous = observation.previous { previous.withObservation(\.next) } else { first }
    guard let link, link.leads(to: observation) else {
      preconditionFailure("an observation was taken out of a list that it is not in")
    }
    let (previous, next) = (observation.previous, observation.next)
    if let previous { previous.withObservation { $0.next = next } } else { first = next }
    if let next { next.withObservation { $0.previous = previous } } else { last = previous }
    observation.previous = nil
    observation.next = nil
    observation.isListed = false
    link.release()
  }

  func forEach(_ body: (Observation) -> Void) {
    var link = first
    while let current = link {
      current.withObservation { observation in
        link = observation.next
        body(observation)
      }
    }
  }

  /// Moves all members of `other` to the end of this list.
  mutating func append(contentsOf other: inout ObservationList) {
    guard let joint = other.first else { return }
    if let last {
      last.withObservation { $0.next = joint }
      joint.withObservation { $0.previous = last }
    } else {
      first = joint
    }
    last = other.last
    other = ObservationList()
  }

  /// Removes all members, and returns them.
  mutating func removeAll() -> [Observation] {
    var members: [Observation] = []
    while let link = first {
      let observation = link.withObservation { $0 }
      remove(observation)
      members.append(observation)
    }
    return members
  }
}
