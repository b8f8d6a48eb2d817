// On the caller's own isolation.

extension BindingSource {
  /// Calls `handler` with the current value, before this returns, and then with each later one, on the isolation
  /// of the caller.
  ///
  /// ```swift
  /// @MainActor func show(_ user: BindableActor<User>) {
  ///   token = user.observe { label.text = $0.name }   // `handler` may capture what is not Sendable
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - backlog: How many values may wait while the handler is busy.
  ///   - isolation: The actor that the caller runs on. It is not kept alive; the observation ends with it.
  ///   - handler: Is called on that actor, one call at a time, in order.
  /// - Returns: The token that holds the observation: it ends when the token is cancelled or goes.
  @inlinable
  public func observe(
    backlog: Backlog = .latest,
    isolation: isolated any Actor = #isolation,
    _ handler: @escaping (Value) -> Void
  ) -> BindingToken {
    beginServed(
      HandlerRecipient(handler),
      backlog: backlog,
      isolation: isolation,
      endsWithToken: true
    )
  }

  /// Calls `handler` with `owner` and the current value, before this returns, and then with each later one, on
  /// the isolation of the caller, until `owner` is gone.
  ///
  /// ```swift
  /// user.observe(self) { controller, user in controller.show(user) }
  /// ```
  ///
  /// - Parameters:
  ///   - owner: Is held weakly, and need not be Sendable.
  ///   - backlog: How many values may wait while the handler is busy.
  ///   - isolation: The actor that the caller runs on. It is not kept alive; the observation ends with it.
  ///   - handler: Is called on that actor, one call at a time, in order.
  /// - Returns: A token to end the observation earlier than its owner.
  @inlinable
  @discardableResult
  public func observe<Owner: AnyObject>(
    _ owner: Owner,
    backlog: Backlog = .latest,
    isolation: isolated any Actor = #isolation,
    _ handler: @escaping (Owner, Value) -> Void
  ) -> BindingToken {
    beginServed(
      OwnedRecipient(owner, handler),
      backlog: backlog,
      isolation: isolation,
      endsWithToken: false
    )
  }
}

// Somewhere else.

extension BindingSource {
  /// Calls `handler` with the current value and each later one, on a context.
  ///
  /// - Parameters:
  ///   - context: Where the handler runs: one call at a time, in order, on a concurrent queue too.
  ///   - backlog: How many values may wait while the handler is busy.
  ///   - handler: What to call.
  /// - Returns: The token that holds the observation: it ends when the token is cancelled or goes.
  @inlinable
  public func observe(
    on context: DeliveryContext,
    backlog: Backlog = .latest,
    _ handler: @escaping @Sendable (Value) -> Void
  ) -> BindingToken {
    begin(HandlerRecipient(handler), backlog: backlog, on: context, endsWithToken: true)
  }

  /// Calls `handler` with `owner`, the current value and each later one, on a context, until `owner` is gone.
  ///
  /// - Parameters:
  ///   - owner: Is held weakly, and becomes strong for each call, on the context, nowhere else.
  ///   - context: Where the handler runs: one call at a time, in order, on a concurrent queue too.
  ///   - backlog: How many values may wait while the handler is busy.
  ///   - handler: What to call.
  /// - Returns: A token to end the observation earlier than its owner.
  @inlinable
  @discardableResult
  public func observe<Owner: AnyObject & Sendable>(
    _ owner: Owner,
    on context: DeliveryContext,
    backlog: Backlog = .latest,
    _ handler: @escaping @Sendable (Owner, Value) -> Void
  ) -> BindingToken {
    begin(OwnedRecipient(owner, handler), backlog: backlog, on: context, endsWithToken: false)
  }

  /// Calls `handler` with the current value and each later one, isolated to `actor`, until the actor is gone.
  ///
  /// ```swift
  /// config.observe(with: pool) { pool, config in pool.resize(to: config.connections) }
  /// ```
  ///
  /// - Parameters:
  ///   - actor: Is held weakly.
  ///   - backlog: How many values may wait while the actor is busy.
  ///   - handler: Has the actor to itself while it runs.
  /// - Returns: A token to end the observation earlier than the actor.
  @inlinable
  @discardableResult
  public func observe<Owner: Actor>(
    with actor: Owner,
    backlog: Backlog = .latest,
    _ handler: @escaping @Sendable (isolated Owner, Value) -> Void
  ) -> BindingToken {
    // Held throughout: who looks under the lock whether a lane's actor lives must not be the last to let it go.
    withExtendedLifetime(actor) {
      begin(
        ActorRecipient(actor, handler),
        backlog: backlog,
        on: DeliveryContext(isolation: actor),
        endsWithToken: false
      )
    }
  }
}

// What all forms come to.

extension BindingSource {
  @inlinable
  func begin<Target: Recipient>(
    _ target: Target,
    backlog: Backlog,
    on context: DeliveryContext,
    endsWithToken: Bool
  ) -> BindingToken where Target.Element == Value {
    let cursor = cursor
    let observation = CursorObservation(cursor, target, endsWithToken: endsWithToken, isConfined: false)
    cursor.root.cell.begin(observation, depth: backlog.depth, on: context)
    return BindingToken(observation)
  }

  @inlinable
  func beginServed<Target: Recipient>(
    _ target: Target,
    backlog: Backlog,
    isolation: any Actor,
    endsWithToken: Bool
  ) -> BindingToken where Target.Element == Value {
    let cursor = cursor
    let observation = CursorObservation(cursor, target, endsWithToken: endsWithToken, isConfined: true)
    cursor.root.cell.beginServed(observation, depth: backlog.depth, isolation: isolation)
    return BindingToken(observation)
  }
}
