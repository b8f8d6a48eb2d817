extension Cell {
  /// The next update for the reader at `place`.
  @inlinable
  package func next(at place: inout Place<Value>, in feed: inout Feed<Value>) -> Pull<Value> {
    switch place.depth {
    case 1: feed.isLive ? nextLatest(at: &place) : place.latest(in: feed)
    case .max: nextLogged(at: &place, in: &feed)
    default: nextWindowed(at: &place, in: feed)
    }
  }

  @inlinable
  func nextLatest(at place: inout Place<Value>) -> Pull<Value> {
    locked { state in
      guard place.seen != state.version else { return state.isFinished ? .finished : .idle }
      return .element(state.value, place.advance(to: state.version))
    }
  }

  @inlinable
  func nextLogged(at place: inout Place<Value>, in feed: inout Feed<Value>) -> Pull<Value> {
    if let pull = place.logged(through: feed.version) { return pull }
    guard feed.isLive else { return feed.isFinished ? .finished : .idle }
    let (version, isFinished) = locked { ($0.version, $0.isFinished) }
    feed.version = version
    return place.logged(through: version) ?? (isFinished ? .finished : .idle)
  }

  @usableFromInline
  func nextWindowed(at place: inout Place<Value>, in feed: Feed<Value>) -> Pull<Value> {
    // Spills are released when this returns, after the lock.
    let (pull, spill) = locked { state -> (Pull<Value>, Window<Value>.Spill?) in
      let unseen = state.version &- place.seen
      guard unseen > 0 else { return (state.isFinished ? .finished : .idle, nil) }
      let waiting = min(unseen, UInt64(place.depth))
      let version = state.version &- (waiting - 1)
      // What was sent during a round belongs to the next one. (Compared by distance from the place.)
      if !feed.isLive, version &- place.seen > feed.version &- place.seen { return (.idle, nil) }
      let node = state.window.node(age: Int(waiting - 1))
      let stamp = place.advance(to: version)
      return (.element(node.value, stamp), waiting == 1 ? state.window.readerCaughtUp() : nil)
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
  mutating func latest(in round: borrowing Feed<Value>) -> Pull<Value> {
    guard seen != round.version, let value = round.value else { return round.isFinished ? .finished : .idle }
    return .element(value, advance(to: round.version))
  }

  /// The next update in the log, if there is one up to `version`. Needs no lock: so far the log does not
  /// change any more.
  @inlinable
  mutating func logged(through version: UInt64) -> Pull<Value>? {
    guard seen != version, let node else { return nil }
    if isFresh { return .element(node.value, advance(to: node.version)) }
    guard let next = node.next else {
      preconditionFailure("the log ends at version \(node.version), before \(version)")
    }
    self.node = next
    return .element(next.value, advance(to: next.version))
  }
}
