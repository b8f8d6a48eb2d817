/// A feed that is opened again when its line drops: how to open it, and when to try again.
struct Feed<Elements: AsyncSequence & SendableMetatype>: Sendable {
  let open: @Sendable () async throws -> sending Elements
  let retry: RetryPolicy
  let clock: any Clock<Duration>
  let reopensAtEnd: Bool
  /// The cell that shows the state of the link; nil if no cell does. This does not keep its `BindableActor` alive.
  let link: Cell<LinkState>?
}

extension AnyCell {
  /// Calls `write` with each element of a feed, on a task that ends with this cell. See `follow(retry:…)`.
  func follow<Elements: AsyncSequence & SendableMetatype>(
    _ feed: Feed<Elements>,
    writing write: @escaping @Sendable (Elements.Element) -> Void,
    onEnd: @escaping @Sendable (FollowOutcome) -> Void
  ) -> BindingToken {
    let following = SequenceFollowing()
    feed.clock.willBeUsed(by: self)
    following.start(in: self) {
      let outcome = await following.write(feed, write)
      feed.link?.send(.ended(outcome))
      onEnd(outcome)
    }
    return BindingToken(following)
  }
}

extension SequenceFollowing {
  /// Writes the elements of one sequence of the feed after the other, until the policy gives up or the state is *over*.
  func write<Elements: AsyncSequence & SendableMetatype>(
    _ feed: Feed<Elements>,
    _ write: @escaping @Sendable (Elements.Element) -> Void
  ) async -> FollowOutcome {
    var state = FeedState(reopensAtEnd: feed.reopensAtEnd)
    while true {
      if hasEnded { return .cancelled }
      feed.link?.send(.connecting(state.attempt))
      let outcome = await writeOnce(feed, &state, write)
      switch state.sequenceEnded(by: hasEnded ? .cancelled : outcome, feed.retry) {
      case .end(let outcome): return ended(by: outcome)
      case .wait(let attempt, let delay):
        feed.link?.send(.waiting(attempt))
        // A clock may return at once, and so may `open`.
        await Task.yield()
        do {
          try await feed.clock.sleeping { try await feed.clock.sleep(for: delay.bounded) }
        } catch {
          return ended(by: outcome)
        }
      }
    }
  }

  // Opens the feed, and writes the elements of the sequence.
  private func writeOnce<Elements: AsyncSequence & SendableMetatype>(
    _ feed: Feed<Elements>,
    _ state: inout FeedState,
    _ write: @escaping @Sendable (Elements.Element) -> Void
  ) async -> FollowOutcome {
    let elements: Elements
    do { elements = try await feed.open() } catch { return .failed(error) }
    if hasEnded { return .cancelled }
    feed.link?.send(.live)
    return await writeAll(of: elements) { element in
      state.elementCame()
      write(element)
    }
  }
}
