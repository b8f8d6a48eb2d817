/// Waits until the task is cancelled. Calls `onCancel` in the cancellation handler.
func cancelled(_ onCancel: @escaping @Sendable () -> Void = {}) async {
  let gate = Gate()
  await withTaskCancellationHandler {
    await gate.passed()
  } onCancel: {
    onCancel()
    gate.open()
  }
}
