/// A task as something that a token or a bag can cancel.
///
/// ### States
/// - *running*: the task has not ended, and was not cancelled.
/// - *cancelled*: the token or the bag has cancelled the task. The task may still run.
/// - *ended*: the task has ended by itself.
// @unchecked: `lock` guards the variables.
package final class CancellableTask: Cancellable, @unchecked Sendable {
  private enum End {
    case cancelled
    case ofTask
  }

  private let lock = Lock()
  // Guarded by `lock`. Nil before the task exists, and after it has ended.
  private var task: Task<Void, Never>?
  // Guarded by `lock`. Nil while the state is *running*.
  private var end: End?
  // Guarded by `lock`.
  private var hasTaskEnded = false

  package init() {
    super.init(endsWithToken: false)
  }

  /// Starts the task. Called once, before any other thread knows this object.
  package func start(priority: TaskPriority?, _ operation: sending @escaping @isolated(any) () async -> Void)
  {
    let task = Task(priority: priority) {
      await operation()
      self.taskEnded()
    }
    // The task may have ended already.
    lock.withLock {
      if !hasTaskEnded { self.task = task }
    }
  }

  private func taskEnded() {
    // Released after the lock.
    let task = lock.withLock { () -> Task<Void, Never>? in
      hasTaskEnded = true
      if end == nil { end = .ofTask }
      return self.task.take()
    }
    _ = consume task
  }

  package override func cancel() {
    let task = lock.withLock { () -> Task<Void, Never>? in
      if end == nil { end = .cancelled }
      return self.task
    }
    task?.cancel()
  }

  package override func cancelAndWait() async {
    cancel()
    let task = lock.withLock { self.task }
    await task?.value
  }

  package override var isCancelled: Bool { lock.withLock { end == .cancelled } }

  package override var hasEnded: Bool { lock.withLock { end != nil } }
}
