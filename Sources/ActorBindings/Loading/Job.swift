/// A task that may be cancelled before it is there.
// @unchecked: guarded by `lock`.
@usableFromInline
final class Job: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`.
  private var task: Task<Void, Never>?
  // Guarded by `lock`.
  private var isOver = false

  @usableFromInline
  init() {}

  /// The task that was made for this. It is cancelled at once if this was.
  @usableFromInline
  func began(_ task: Task<Void, Never>) {
    let isLate = lock.withLock {
      if !isOver { self.task = task }
      return isOver
    }
    if isLate { task.cancel() }
  }

  /// From anywhere, any number of times.
  @usableFromInline
  func cancel() {
    ended()?.cancel()
  }

  /// The task has come to its end, or is to be cancelled: who holds this holds nothing of it any more.
  @discardableResult
  @usableFromInline
  func ended() -> Task<Void, Never>? {
    lock.withLock {
      isOver = true
      return self.task.take()
    }
  }
}
