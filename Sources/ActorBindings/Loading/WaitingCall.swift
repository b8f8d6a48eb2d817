/// A task that waits: a call of an `Action` for its turn, or a request of a `LoadingCell` for its answer.
///
/// It is linked into a `WaitList` of the machine that decides when it goes on, so it leaves in constant time however many
/// wait. A task that is cancelled goes on too: it must ask the machine why it does, and leave.
// @unchecked: `Waiter` says what guards its links; the rest is guarded by `lock`.
final class WaitingCall: Waiter, @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`.
  private var isOver = false
  // Guarded by `lock`.
  private var resumption: Resumption?

  /// Returns when it was woken, or its task is cancelled.
  nonisolated(nonsending) func wait() async {
    await withTaskCancellationHandler {
      await Resumption.suspend { resumption in
        lock.withLock {
          if !isOver { self.resumption = resumption }
          return !isOver
        }
      }
    } onCancel: {
      // Inside the runtime: nothing but this.
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
