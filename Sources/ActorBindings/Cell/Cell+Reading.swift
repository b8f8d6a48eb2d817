extension Cell {
  /// The next update for the reader at `place`: of the round that its lane is in, or live.
  @inlinable
  package func next(at place: inout Place<Value>, in round: Round<Value>?) -> Pull<Value> {
    switch place.depth {
    case 1: round.map { place.nextLatest(in: $0) } ?? nextLatest(at: &place)
    case .max: nextLogged(at: &place, in: round)
    default: nextWindowed(at: &place, in: round)
    }
  }

  @inlinable
  func nextLatest(at place: inout Place<Value>) -> Pull<Value> {
    let horizon = horizon
    guard place.seen != horizon.version else { return horizon.isFinished ? .finished : .idle }
    return locked { state, roster in .element(state.value, place.advance(to: roster.version)) }
  }

  @inlinable
  func nextLogged(at place: inout Place<Value>, in round: Round<Value>?) -> Pull<Value> {
    if place.ahead > 0 { return place.nextKnown() }
    if !place.isTaken, let round { return place.nextLatest(in: round) }
    let horizon = round?.horizon ?? horizon
    guard place.seen != horizon.version else { return horizon.isFinished ? .finished : .idle }
    place.ahead = UInt16(clamping: horizon.version &- place.seen)
    return place.nextKnown()
  }

  @usableFromInline
  func nextWindowed(at place: inout Place<Value>, in round: Round<Value>?) -> Pull<Value> {
    if !place.isTaken, let round { return place.nextLatest(in: round) }
    // What the window no longer holds is released when this returns, after the lock.
    let (pull, spill) = locked { state, roster -> (Pull<Value>, Window<Value>.Spill) in
      let seen = place.seen
      let unseen = roster.version &- seen
      guard unseen > 0 else {
        return ((round?.isFinished ?? roster.isFinished) ? .finished : .idle, .nothing)
      }
      let waiting = min(unseen, UInt64(place.depth))
      let version = roster.version &- (waiting - 1)
      let pull: Pull<Value>
      if let round, version &- seen > round.version &- seen {
        // What was sent during a round belongs to the next one, even if the window no longer holds the round's own
        // update. (Versions are compared by distance.)
        pull = place.nextLatest(in: round)
      } else {
        let node = state.window.node(age: Int(waiting - 1))
        pull = .element(node.value, place.advance(to: version))
      }
      return (pull, state.window.readerAdvanced(depth: place.depth, from: seen, to: place.seen))
    }
    _ = consume spill
    return pull
  }
}

extension Place {
  /// Stands at `version` now. What lies between was skipped.
  @inlinable
  mutating func advance(to version: UInt64) -> Stamp {
    let skipped = version &- seen &- 1
    let stamp = Stamp(version: version, skipped: skipped, isInitial: isFresh && skipped == 0)
    seen = version
    isFresh = false
    return stamp
  }

  @inlinable
  mutating func nextLatest(in round: Round<Value>) -> Pull<Value> {
    guard seen != round.version, let value = round.value else { return round.isFinished ? .finished : .idle }
    return .element(value, advance(to: round.version))
  }

  /// The next update in the log, which is known to be there. Needs no lock: so far the log does not change any
  /// more.
  @inlinable
  mutating func nextKnown() -> Pull<Value> {
    let next = isFresh ? node.take() : node.take()?.next
    guard let next else { preconditionFailure("the log ends at version \(seen), \(ahead) too early") }
    let value = next.value
    node = consume next
    ahead &-= 1
    return .element(value, advance(to: seen &+ 1))
  }
}
