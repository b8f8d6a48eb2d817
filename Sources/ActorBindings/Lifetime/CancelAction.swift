/// A closure that runs once, when its token is cancelled.
// @unchecked: `lock` guards the variable.
final class CancelAction: Cancellable, @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`. Nil once the action has been taken to run.
  private var action: (@Sendable () -> Void)?

  init(_ action: @escaping @Sendable () -> Void) {
    self.action = action
    super.init(endsWithToken: true)
  }

  package override func cancel() {
    let action = lock.withLock { self.action.take() }
    action?()
  }

  // The action may still be running on the thread of another call.
  package override func cancelAndWait() async {
    cancel()
  }

  package override var isCancelled: Bool { lock.withLock { action == nil } }

  package override var hasEnded: Bool { isCancelled }
}
