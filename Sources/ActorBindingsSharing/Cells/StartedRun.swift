import ActorBindings

/// A run that `start` has begun: it lasts until its token is cancelled, or the store refuses. It has a task only while it
/// ends: a task that waits takes more memory than all else of a running cell.
///
/// | event | running | ending | over |
/// |---|---|---|---|
/// | `cancel` | ending: leaves the loop | – | – |
/// | `refused` | ending | – | – |
/// | the task of the end is done | – | over: resumes the calls of `cancelAndWait` | – |
// @unchecked: `lock` guards the variables.
final class StartedRun: CancellationTarget, @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`. Nil once the run ends: a token that lives on keeps neither the cell's entries nor the store.
  private var onEnd: (@Sendable ((any Error)?) -> Void)?
  // Guarded by `lock`. Nil before `start`, if there was nothing to follow, and once the run is over.
  private var following: StoreFollowers.Following?
  // Guarded by `lock`.
  private var wasCancelled = false
  // Guarded by `lock`.
  private var isOver = false
  // Guarded by `lock`. The calls of `cancelAndWait` that wait.
  private var waiters: [Resumption] = []

  /// - Parameter onEnd: Called once, with the error of the store if it has refused.
  init(onEnd: @escaping @Sendable ((any Error)?) -> Void) {
    self.onEnd = onEnd
  }

  /// Begins to follow. Called once, before any other thread knows this object.
  func start(following scope: StoreScope, of store: any SharedStore, by member: any FollowMember) {
    let following = store.followers.makeFollowing(scope, of: store, by: member) { [self] in refused($0) }
    // Before the loop can refuse.
    lock.withLock { self.following = following }
    following.begin()
  }

  /// The store has refused. Called once at most, and not after `cancel` has left the loop.
  func refused(_ error: any Error) { end(error) }

  package func cancel() {
    let following = lock.withLock {
      // Not if the store has refused: then the run is ending already.
      if onEnd != nil { wasCancelled = true }
      return self.following
    }
    // Only the first of all calls, and not after the store has refused.
    if following?.leave() == true { end(nil) }
  }

  private func end(_ error: (any Error)?) {
    let (following, onEnd) = lock.withLock { (self.following, self.onEnd.take()) }
    Task.detached { [self] in
      await following?.end()
      onEnd?(error)
      // `following` refers to this object by its refusal: this cuts the cycle, and releases it without the lock.
      let released = lock.withLock { self.following.take() }
      withExtendedLifetime(released) {}
      for waiter in lock.withLock({ overWhileLocked() }) { waiter.resume() }
    }
  }

  // The run is over. Returns the calls of `cancelAndWait` to resume.
  private func overWhileLocked() -> [Resumption] {
    defer { (isOver, waiters) = (true, []) }
    return waiters
  }

  package func cancelAndWait() async {
    cancel()
    await Resumption.suspend { waiter in
      lock.withLock {
        if !isOver { waiters.append(waiter) }
        return !isOver
      }
    }
  }

  package var isCancelled: Bool { lock.withLock { wasCancelled } }

  package var hasEnded: Bool { lock.withLock { wasCancelled || isOver } }
}
