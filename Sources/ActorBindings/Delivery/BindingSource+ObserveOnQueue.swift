public import Dispatch

// Observing on a queue or on the main actor: the caller passes the queue or the actor itself instead of a
// `DeliveryContext`.
//
// These methods are disfavored overloads. Otherwise `.main` would be ambiguous where Dispatch is imported, because
// `.main` could also be the main queue. So `.main` always means `DeliveryContext.main`, the context of the main actor.

extension BindingSource {
  /// Calls `handler` with the current value and each later value, on a Dispatch queue: the same as
  /// `observe(on: .queue(queue))`.
  @inlinable
  @_disfavoredOverload
  public func observe(
    on queue: DispatchQueue,
    backlog: Backlog = .latest,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ handler: @escaping @Sendable (Value) -> Void,
    onEnd: (@Sendable () -> Void)? = nil
  ) -> BindingToken {
    observe(on: .queue(queue), backlog: backlog, fileID: fileID, line: line, handler, onEnd: onEnd)
  }

  /// Calls `handler` with `owner` and the current value, and then with each later value, on a Dispatch queue, until
  /// `owner` is deallocated: the same as `observe(owner, on: .queue(queue))`.
  @inlinable
  @discardableResult
  @_disfavoredOverload
  public func observe<Owner: AnyObject & Sendable>(
    _ owner: Owner,
    on queue: DispatchQueue,
    backlog: Backlog = .latest,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ handler: @escaping @Sendable (Owner, Value) -> Void,
    onEnd: (@Sendable (Owner) -> Void)? = nil
  ) -> BindingToken {
    observe(owner, on: .queue(queue), backlog: backlog, fileID: fileID, line: line, handler, onEnd: onEnd)
  }

  /// Calls `handler` with the current value and each later value, on the main actor.
  ///
  /// ```swift
  /// let token = user.observe(on: MainActor.shared) { label.text = $0.name }
  /// ```
  ///
  /// This is `observe(on: .main)` for a handler that the compiler knows to be on the main actor. Call it from anywhere.
  @inlinable
  @_disfavoredOverload
  public func observe(
    on mainActor: MainActor,
    backlog: Backlog = .latest,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ handler: @escaping @MainActor @Sendable (Value) -> Void,
    onEnd: (@MainActor @Sendable () -> Void)? = nil
  ) -> BindingToken {
    let handler: @Sendable (Value) -> Void = { value in MainActor.assumeIsolated { handler(value) } }
    let end = onEnd.map { onEnd -> @Sendable () -> Void in { MainActor.assumeIsolated { onEnd() } } }
    return observe(on: .main, backlog: backlog, fileID: fileID, line: line, handler, onEnd: end)
  }

  /// Calls `handler` with `owner` and the current value, and then with each later value, on the main actor, until
  /// `owner` is deallocated.
  ///
  /// This is `observe(owner, on: .main)` for a handler that the compiler knows to be on the main actor. Call it from
  /// anywhere.
  @inlinable
  @discardableResult
  @_disfavoredOverload
  public func observe<Owner: AnyObject & Sendable>(
    _ owner: Owner,
    on mainActor: MainActor,
    backlog: Backlog = .latest,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ handler: @escaping @MainActor @Sendable (Owner, Value) -> Void,
    onEnd: (@MainActor @Sendable (Owner) -> Void)? = nil
  ) -> BindingToken {
    let handler: @Sendable (Owner, Value) -> Void = { owner, value in
      MainActor.assumeIsolated { handler(owner, value) }
    }
    let end = onEnd.map { onEnd -> @Sendable (Owner) -> Void in
      { owner in MainActor.assumeIsolated { onEnd(owner) } }
    }
    return observe(owner, on: .main, backlog: backlog, fileID: fileID, line: line, handler, onEnd: end)
  }
}
