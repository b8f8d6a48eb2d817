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
  private struct State: Sendable {
    var isOpen = false
    /// The number of times that the gate was opened: a waiting task sees that the gate was opened, even if it was closed
    /// again before the task ran.
    var openings = 0
  }

  private let state = BindableActor(State())
  private let count = BindableActor(0)

  /// Creates a closed gate.
  public init() {}

  /// The number of tasks that wait at the gate.
  public var waiting: some StateSource<Int> { count.readOnly }

  /// Opens the gate for the tasks that wait, and for those that come later.
  public func open() {
    state.modify { state in
      state.isOpen = true
      state.openings += 1
    }
  }

  /// Closes the gate for tasks that come later.
  public func close() {
    state.modify { $0.isOpen = false }
  }

  /// Returns when the gate is open, or was opened meanwhile.
  ///
  /// - Throws: `CancellationError` if the task is cancelled while it waits.
  public func wait() async throws {
    let found = state.value
    if found.isOpen { return }
    count.modify { $0 += 1 }
    defer { count.modify { $0 -= 1 } }
    let opened = await state.first { $0.openings != found.openings }
    if opened == nil { throw CancellationError() }
  }
}
