/// A task that a token cancels. The task lives until its body returns, and does not end with its token.
// @unchecked: `lock` guards the variable.
package final class CancellableTask: Cancellable, @unchecked Sendable {
  private let task: Task<Void, Never>
  private let lock = Lock()
  // Guarded by `lock`.
  private var isEnded = false

  /// Starts a task.
  package init(_ body: @escaping @Sendable () async -> Void) {
    // Detached: the task belongs to the token, not to the caller.
    task = Task.detached(priority: Task.currentPriority) { await body() }
    super.init(endsWithToken: false)
  }

  package override func cancel() {
    lock.withLock { isEnded = true }
    task.cancel()
  }

  /// Cancels the task, and waits until its body has returned.
  package override func cancelAndWait() async {
    cancel()
    await task.value
  }

  package override var isCancelled: Bool { task.isCancelled }

  package override var hasEnded: Bool { lock.withLock { isEnded } }
}
