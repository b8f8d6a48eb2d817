extension Cell {
  /// Returns the next update for the reader at `position`: from `pass`, the pass of the reader's lane, or from the cell
  /// if `pass` is nil.
  @inlinable
  package func next(at position: inout ReadPosition<Value>, in pass: PassSnapshot<Value>?) -> Pull<Value> {
    switch position.depth {
    case 1: pass.map { position.nextLatest(in: $0) } ?? nextLatest(at: &position)
    case .max: nextLogged(at: &position, in: pass)
    default: nextWindowed(at: &position, in: pass)
    }
  }

  @inlinable
  func nextLatest(at position: inout ReadPosition<Value>) -> Pull<Value> {
    let watermark = watermark
    guard position.seen != watermark.version else { return watermark.isFinished ? .finished : .idle }
    return locked { state, roster in .element(state.value, position.advance(to: roster.version)) }
  }

  @inlinable
  func nextLogged(at position: inout ReadPosition<Value>, in pass: PassSnapshot<Value>?) -> Pull<Value> {
    if position.ahead > 0 { return position.nextKnown() }
    if !position.isTaken, let pass { return position.nextLatest(in: pass) }
    let watermark = pass?.watermark ?? watermark
    guard position.seen != watermark.version else { return watermark.isFinished ? .finished : .idle }
    position.ahead = UInt8(clamping: watermark.version &- position.seen)
    return position.nextKnown()
  }

  @usableFromInline
  func nextWindowed(at position: inout ReadPosition<Value>, in pass: PassSnapshot<Value>?) -> Pull<Value> {
    if !position.isTaken, let pass { return position.nextLatest(in: pass) }
    // The step returns the updates that the window no longer holds. They are released after the lock.
    let outcome = locked { state, roster -> WindowedPull in
      let seen = position.seen
      let unseen = roster.version &- seen
      guard unseen > 0 else {
        return WindowedPull(pull: (pass?.isFinished ?? roster.isFinished) ? .finished : .idle)
      }
      let waiting = min(unseen, UInt64(position.depth))
      let version = roster.version &- (waiting - 1)
      let pull: Pull<Value>
      if let pass, version &- seen > pass.version &- seen {
        // The oldest update that waits for this reader was sent during this pass, so it belongs to the next pass. In
        // this pass the reader receives the value in `pass`, unless it has seen that value. (The condition compares
        // distances from `seen`, because versions may wrap around.)
        pull = position.nextLatest(in: pass)
      } else {
        let node = state.window.node(age: Int(waiting - 1))
        pull = .element(node.value, position.advance(to: version))
      }
      let evicted = state.window.readerAdvanced(depth: position.depth, from: seen, to: position.seen)
      return WindowedPull(pull: pull, evicted: evicted)
    }
    // Releases the evicted updates only here: after the lock.
    withExtendedLifetime(outcome.evicted) {}
    return outcome.pull
  }

  /// What a reader of the window receives, and what the window no longer holds.
  private struct WindowedPull: Sendable {
    let pull: Pull<Value>
    var evicted = Evicted<Value>.nothing
  }
}

extension ReadPosition {
  /// Moves the position to `version`, and returns the stamp of that update. The reader skips the versions in between.
  @inlinable
  mutating func advance(to version: UInt64) -> Stamp {
    let skipped = version &- seen &- 1
    let stamp = Stamp(version: version, skipped: skipped, isInitial: isFresh && skipped == 0)
    seen = version
    isFresh = false
    return stamp
  }

  @inlinable
  mutating func nextLatest(in pass: PassSnapshot<Value>) -> Pull<Value> {
    guard seen != pass.version, let value = pass.value else { return pass.isFinished ? .finished : .idle }
    return .element(value, advance(to: pass.version))
  }

  /// Returns the next update of the log. The log has that update, because `ahead` is not 0. Needs no lock, because this
  /// part of the log no longer changes.
  @inlinable
  package mutating func nextKnown() -> Pull<Value> {
    let version = seen &+ 1
    // Moves the chunk out and back, so that this counts no references within a chunk.
    guard var chunk = chunk.take() else {
      preconditionFailure("an unbounded reader has no position in the log")
    }
    if !chunk.holds(version) { chunk = chunk.holding(version) }
    // The last of the updates that are certainly in the log may be the newest.
    let value = chunk.take(version, &weight, isNewest: ahead == 1)
    // The next chunk of a start was there before, so this needs no lock either.
    if chunk.isStart, let next = chunk.next { chunk = next }
    self.chunk = consume chunk
    ahead &-= 1
    return .element(value, advance(to: version))
  }
}
