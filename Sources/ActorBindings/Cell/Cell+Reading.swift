extension Cell {
  /// Returns the next update for the reader at `place`: from the round of its lane, or from the cell if `round` is nil.
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
    // This releases what the window no longer holds when it returns, after the lock.
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
        // An update sent during a round belongs to the next round, even if the window no longer holds this round's
        // update. (This compares versions by their distance.)
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
  /// Moves to `version`. The reader skips the versions between.
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

  /// Returns the next update of the log. `ahead` says that the update is there. Needs no lock, because this part of the
  /// log no longer changes.
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
