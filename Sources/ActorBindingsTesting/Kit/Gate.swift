public import ActorBindings

/// A gate that tasks wait at until a test opens it. It makes an asynchronous function of the code under test wait at a
/// certain point.
///
/// ```swift
/// let gate = Gate()
/// let rates = LoadingCell { try await gate.wait(); return 7 }
/// rates.startLoading()
/// _ = await gate.waiting.first { $0 == 1 }      // the load is under way
/// #expect(rates.value.isLoading)
/// gate.open()
/// ```
public final class Gate: Sendable {
  private let tasks = WaitingTasks<Bool, Int>(false) { _, isOpen in isOpen }

  /// Creates a closed gate.
  public init() {}

  /// The number of tasks that wait at the gate.
  public var waiting: some StateSource<Int> { tasks.count.readOnly }

  /// Opens the gate for the tasks that wait, and for those that come later.
  public func open() {
    tasks.change { $0 = true }
  }

  /// Closes the gate for tasks that come later.
  public func close() {
    tasks.change { $0 = false }
  }

  /// Returns when the gate is open, or was opened meanwhile.
  ///
  /// - Throws: `CancellationError` if the task is cancelled while it waits.
  public func wait() async throws {
    if tasks.state { return }
    // All tasks have the same goal.
    try await tasks.wait(for: 0)
  }
}
