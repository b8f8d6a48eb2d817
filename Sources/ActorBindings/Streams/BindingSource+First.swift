internal import Synchronization

extension BindingSource {
  /// Waits for the first value, which is the current value if there is one.
  ///
  /// - Parameter isolation: The actor that the caller runs on.
  /// - Returns: The value, or nil if the source ends before there is a value, or if the task is cancelled.
  @inlinable
  public func first(isolation: isolated (any Actor)? = #isolation) async -> Value? {
    var values = values.makeAsyncIterator()
    return await values.next(isolation: isolation)
  }

  /// Waits for the first value for which `predicate` is true. Checks the current value and each later value, and skips
  /// none.
  ///
  /// ```swift
  /// let open = await connection.state.first { $0 == .open }
  /// guard open != nil else { return }
  /// ```
  ///
  /// - Parameters:
  ///   - isolation: The actor that the caller runs on.
  ///   - predicate: A function to call with each value, on the isolation of the caller.
  /// - Returns: The value, or nil if the source ends before there is such a value, or if the task is cancelled.
  @inlinable
  public func first<E: Error>(
    isolation: isolated (any Actor)? = #isolation,
    where predicate: (Value) throws(E) -> Bool
  ) async throws(E) -> Value? {
    var values = values(backlog: .unbounded).makeAsyncIterator()
    while let value = await values.next(isolation: isolation) {
      if try predicate(value) { return value }
    }
    return nil
  }

  /// Waits for the first value for which `predicate` is true, but not longer than `timeout`. Checks the current value
  /// and each later value, and skips none.
  ///
  /// ```swift
  /// let up = await health.first(where: { $0 == .up }, timeout: .seconds(5))
  /// guard up != nil else { throw NotReady() }
  /// ```
  ///
  /// The call does not interrupt `predicate`: if the time passes while `predicate` runs for a value, that value counts,
  /// and no later value does. If the clock's `sleep` throws, the time counts as passed. Each call takes one task, which
  /// sleeps by `clock`, and which the call cancels when it returns.
  ///
  /// - Parameters:
  ///   - isolation: The actor that the caller runs on.
  ///   - predicate: A function to call with each value, on the isolation of the caller.
  ///   - timeout: The time to wait. The current value is checked even if this is zero or negative.
  ///   - clock: The clock that measures the time.
  /// - Returns: The value, or nil if the time passes or the source ends before there is such a value, or if the task is
  ///   cancelled.
  @inlinable
  public func first<C: Clock, E: Error>(
    isolation: isolated (any Actor)? = #isolation,
    where predicate: (Value) throws(E) -> Bool,
    timeout: C.Duration,
    clock: C = ContinuousClock()
  ) async throws(E) -> Value? where C.Duration: Sendable {
    let reader = values(backlog: .unbounded).makeAsyncIterator().reader
    let deadline = Deadline(of: reader, in: reader.cell, at: clock.now.advanced(by: timeout), clock)
    // The timer may hold the reader a little longer, so the reader leaves here.
    defer {
      reader.leave()
      deadline.cancel()
    }
    var isFirstStep = true
    while true {
      defer { isFirstStep = false }
      switch reader.advance() {
      case .element(let value):
        if try predicate(value) { return value }
        if deadline.hasPassed { return nil }
      case .yield:
        // A source that rejects each value of a fast writer never parks. But other calls on this thread may make the
        // first step yield, before this call has examined the current value.
        if !isFirstStep, deadline.hasPassed { return nil }
        await Task.yield()
      case .park(let version):
        if deadline.hasPassed { return nil }
        await reader.park(in: reader.cell, after: version)
      case .end: return nil
      }
    }
  }
}

/// Ends the wait of one reader at an instant of a clock.
@usableFromInline
struct Deadline: Sendable {
  private let state: State
  private let timer: Task<Void, Never>

  // The timer sets this before it wakes the reader. So a reader that is woken finds it set.
  private final class State: Sendable {
    let hasPassed = Atomic(false)
  }

  @usableFromInline
  init<C: Clock>(of reader: LoopWaiter, in cell: AnyCell, at instant: C.Instant, _ clock: C)
  where C.Duration: Sendable {
    let state = State()
    self.state = state
    timer = Task {
      try? await clock.sleep(until: instant, tolerance: nil)
      state.hasPassed.store(true, ordering: .releasing)
      reader.endWait(in: cell)
    }
  }

  /// Whether the instant has come.
  @usableFromInline var hasPassed: Bool { state.hasPassed.load(ordering: .acquiring) }

  /// Ends the timer.
  @usableFromInline
  func cancel() {
    timer.cancel()
  }
}
