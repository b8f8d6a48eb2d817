import ActorBindings

/// The tasks of one loop. The member that leaves last waits for their end.
// @unchecked: `lock` guards the variables.
final class FollowTasks: @unchecked Sendable {
  private let followers: StoreFollowers
  private let lock = Lock()
  // Guarded by `lock`. The tasks that have not ended.
  private var count = 0
  // Guarded by `lock`. The call of `ended()` that waits.
  private var waiter: Resumption?

  init(of followers: StoreFollowers) {
    self.followers = followers
  }

  /// Starts a task.
  @discardableResult
  func start(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    lock.withLock { count += 1 }
    followers.taskBegan()
    // Detached: the task belongs to the loop, not to the caller.
    return Task.detached { [self] in
      await body()
      followers.taskEnded()
      taskEnded()
    }
  }

  private func taskEnded() {
    lock.withLock { () -> Resumption? in
      count -= 1
      return count == 0 ? waiter.take() : nil
    }?.resume()
  }

  /// Waits until no task is left, even if the caller is cancelled. Call it once, after the loop was told to stop.
  func ended() async {
    await Resumption.suspend { resumption in
      lock.withLock {
        guard count > 0 else { return false }
        waiter = resumption
        return true
      }
    }
  }
}
