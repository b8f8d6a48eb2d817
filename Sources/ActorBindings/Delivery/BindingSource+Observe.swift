// Observing on the caller's own isolation. `CallersActor.swift` explains the name of the type of `isolation`.

extension BindingSource {
  /// Calls `handler` with the current value before this method returns, and then with each later value, on the
  /// isolation of the caller.
  ///
  /// ```swift
  /// @MainActor func show(_ user: BindableActor<User>) {
  ///   token = user.observe { label.text = $0.name }   // `handler` may capture what is not Sendable
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - backlog: The number of values that may wait while the handler is busy.
  ///   - isolation: The actor that the caller runs on. The observation does not keep this actor alive, and ends with
  ///     this actor.
  ///   - handler: The function to call on that actor, one call at a time, in order.
  /// - Returns: The token that holds the observation. The observation ends when the token is cancelled or deallocated.
  @inlinable
  public func observe(
    backlog: Backlog = .latest,
    isolation: isolated `actor of the caller; elsewhere pass on:` = #isolation,
    _ handler: @escaping (Value) -> Void
  ) -> BindingToken {
    startOnCaller(
      HandlerRecipient(handler),
      backlog: backlog,
      isolation: isolation,
      endsWithToken: true
    )
  }

  /// Calls `handler` with `owner` and the current value before this method returns, and then with each later value, on
  /// the isolation of the caller, until `owner` is deallocated.
  ///
  /// ```swift
  /// user.observe(self) { controller, user in controller.show(user) }
  /// ```
  ///
  /// - Parameters:
  ///   - owner: The owner, which the observation holds weakly. It need not be Sendable.
  ///   - backlog: The number of values that may wait while the handler is busy.
  ///   - isolation: The actor that the caller runs on. The observation does not keep this actor alive, and ends with
  ///     this actor.
  ///   - handler: The function to call on that actor, one call at a time, in order.
  /// - Returns: A token that can end the observation before `owner` is deallocated.
  @inlinable
  @discardableResult
  public func observe<Owner: AnyObject>(
    _ owner: Owner,
    backlog: Backlog = .latest,
    isolation: isolated `actor of the caller; elsewhere pass on:` = #isolation,
    _ handler: @escaping (Owner, Value) -> Void
  ) -> BindingToken {
    startOnCaller(
      OwnedRecipient(owner, handler),
      backlog: backlog,
      isolation: isolation,
      endsWithToken: false
    )
  }
}

// Observing on another context.

extension BindingSource {
  /// Calls `handler` with the current value and each later value, on a context.
  ///
  /// - Parameters:
  ///   - context: Where the handler runs: one call at a time, in order, even on a concurrent queue.
  ///   - backlog: The number of values that may wait while the handler is busy.
  ///   - handler: The function to call.
  /// - Returns: The token that holds the observation. The observation ends when the token is cancelled or deallocated.
  @inlinable
  public func observe(
    on context: DeliveryContext,
    backlog: Backlog = .latest,
    _ handler: @escaping @Sendable (Value) -> Void
  ) -> BindingToken {
    start(HandlerRecipient(handler), backlog: backlog, on: context, endsWithToken: true)
  }

  /// Calls `handler` with `owner` and the current value, and then with each later value, on a context, until `owner` is
  /// deallocated.
  ///
  /// - Parameters:
  ///   - owner: The owner, which the observation holds weakly. The library holds a strong reference only during a call,
  ///     on the context.
  ///   - context: Where the handler runs: one call at a time, in order, even on a concurrent queue.
  ///   - backlog: The number of values that may wait while the handler is busy.
  ///   - handler: The function to call.
  /// - Returns: A token that can end the observation before `owner` is deallocated.
  @inlinable
  @discardableResult
  public func observe<Owner: AnyObject & Sendable>(
    _ owner: Owner,
    on context: DeliveryContext,
    backlog: Backlog = .latest,
    _ handler: @escaping @Sendable (Owner, Value) -> Void
  ) -> BindingToken {
    start(OwnedRecipient(owner, handler), backlog: backlog, on: context, endsWithToken: false)
  }

  /// Calls `handler` with `actor` and the current value, and then with each later value, isolated to `actor`, until the
  /// actor is deallocated.
  ///
  /// ```swift
  /// config.observe(with: pool) { pool, config in pool.resize(to: config.connections) }
  /// ```
  ///
  /// - Parameters:
  ///   - actor: The actor, which the observation holds weakly.
  ///   - backlog: The number of values that may wait while the actor is busy.
  ///   - handler: The function to call. No other code of the actor runs during a call.
  /// - Returns: A token that can end the observation before `actor` is deallocated.
  @inlinable
  @discardableResult
  public func observe<Owner: Actor>(
    with actor: Owner,
    backlog: Backlog = .latest,
    _ handler: @escaping @Sendable (isolated Owner, Value) -> Void
  ) -> BindingToken {
    // Holds the actor until `start` has returned. Under the lock, `start` checks whether the actor of a lane is alive.
    // This check must not release the last reference to that actor.
    withExtendedLifetime(actor) {
      start(
        ActorRecipient(actor, handler),
        backlog: backlog,
        on: DeliveryContext(isolation: actor),
        endsWithToken: false
      )
    }
  }
}

// What all forms of `observe` call.

extension BindingSource {
  @inlinable
  func start<Receiver: Recipient>(
    _ recipient: Receiver,
    backlog: Backlog,
    on context: DeliveryContext,
    endsWithToken: Bool
  ) -> BindingToken where Receiver.Element == Value {
    let cursor = cursor
    let observation = CursorObservation(cursor, recipient, endsWithToken: endsWithToken, isConfined: false)
    cursor.root.cell.start(observation, depth: backlog.depth, on: context)
    return BindingToken(observation)
  }

  @inlinable
  func startOnCaller<Receiver: Recipient>(
    _ recipient: Receiver,
    backlog: Backlog,
    isolation: any Actor,
    endsWithToken: Bool
  ) -> BindingToken where Receiver.Element == Value {
    let cursor = cursor
    let observation = CursorObservation(cursor, recipient, endsWithToken: endsWithToken, isConfined: true)
    cursor.root.cell.startOnCaller(observation, depth: backlog.depth, isolation: isolation)
    return BindingToken(observation)
  }
}
