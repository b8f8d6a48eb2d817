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
  private let isOpen = BindableActor(false)
  private let count = BindableActor(0)

  /// Creates a closed gate.
  public init() {}

  /// The number of tasks that wait at the gate.
  public var waiting: some StateSource<Int> { count.readOnly }

  /// Opens the gate for the tasks that wait, and for those that come later.
  public func open() {
    isOpen.send(true)
  }

  /// Closes the gate for tasks that come later.
  public func close() {
    isOpen.send(false)
  }

  /// Returns when the gate is open.
  ///
  /// - Throws: `CancellationError` if the task is cancelled while it waits.
  public func wait() async throws {
    if isOpen.value { return }
    count.modify { $0 += 1 }
    defer { count.modify { $0 -= 1 } }
    guard await isOpen.first(where: { $0 }) != nil else { throw CancellationError() }
  }
}
