/// A task that waits: a call of an `AsyncAction` for its turn, or a request of a `LoadingCell` for its answer.
///
/// A state machine decides when the call goes on, and keeps the call in a `WaitList`. So the call can leave in constant
/// time, whatever the number of calls that wait. The cancellation of the task wakes the call too. So a task that was
/// woken asks the state machine for the reason, and tells the state machine that the call has left.
// @unchecked: `Waiter` says what guards its links; `lock` guards the rest.
final class WaitingCall: Waiter, @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`.
  private var isOver = false
  // Guarded by `lock`.
  private var resumption: Resumption?

  /// Waits until this call is woken, or its task is cancelled. Returns at once if either has happened already.
  nonisolated(nonsending) func wait() async {
    await withTaskCancellationHandler {
      await Resumption.suspend { resumption in
        lock.withLock {
          if !isOver { self.resumption = resumption }
          return !isOver
        }
      }
    } onCancel: {
      // The runtime may hold the status lock of the task here, so this handler only wakes the call.
      SchedulePoint.insideRuntime { wake() }
    }
  }

  override func wake() {
    let resumption = lock.withLock {
      isOver = true
      return self.resumption.take()
    }
    resumption?.resume()
  }
}
