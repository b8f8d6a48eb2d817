/// A handle of a task, to cancel the task even before it exists.
// @unchecked: `lock` guards the variables.
@usableFromInline
final class TaskHandle: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`.
  private var task: Task<Void, Never>?
  // Guarded by `lock`.
  private var isOver = false

  @usableFromInline
  init() {}

  /// `task` was made for this handle. Cancels the task at once if the handle was cancelled already.
  @usableFromInline
  func began(_ task: Task<Void, Never>) {
    let isLate = lock.withLock {
      if !isOver { self.task = task }
      return isOver
    }
    if isLate { task.cancel() }
  }

  /// Cancels the task. Any thread may call this, any number of times.
  @usableFromInline
  func cancel() {
    ended()?.cancel()
  }

  /// The task has ended, or the caller cancels it next. Releases the task of this handle, and returns the task; nil if
  /// the handle holds no task.
  @discardableResult
  @usableFromInline
  func ended() -> Task<Void, Never>? {
    lock.withLock {
      isOver = true
      return self.task.take()
    }
  }
}
