// Shorthands for `changes.observe(…)`.

extension BindingSource where Value: PersistentCollection {
  /// Calls `handler` with the whole collection, and then with each change, on the isolation of the caller.
  ///
  /// See `observe` for the parameters and the lifetime.
  @inlinable
  public func observeChanges(
    backlog: Backlog = .latest,
    isolation: isolated any Actor = #isolation,
    _ handler: @escaping (CollectionChange<Value>) -> Void
  ) -> BindingToken {
    changes.observe(backlog: backlog, isolation: isolation, handler)
  }

  /// Calls `handler` with the whole collection, and then with each change, on the isolation of the caller, until `owner`
  /// is gone.
  ///
  /// See `observe` for the parameters and the lifetime.
  @inlinable
  @discardableResult
  public func observeChanges<Owner: AnyObject>(
    _ owner: Owner,
    backlog: Backlog = .latest,
    isolation: isolated any Actor = #isolation,
    _ handler: @escaping (Owner, CollectionChange<Value>) -> Void
  ) -> BindingToken {
    changes.observe(owner, backlog: backlog, isolation: isolation, handler)
  }

  /// Calls `handler` with the whole collection, and then with each change, on a context.
  ///
  /// See `observe` for the parameters and the lifetime.
  @inlinable
  public func observeChanges(
    on context: DeliveryContext,
    backlog: Backlog = .latest,
    _ handler: @escaping @Sendable (CollectionChange<Value>) -> Void
  ) -> BindingToken {
    changes.observe(on: context, backlog: backlog, handler)
  }

  /// Calls `handler` with the whole collection, and then with each change, on a context, until `owner` is gone.
  ///
  /// See `observe` for the parameters and the lifetime.
  @inlinable
  @discardableResult
  public func observeChanges<Owner: AnyObject & Sendable>(
    _ owner: Owner,
    on context: DeliveryContext,
    backlog: Backlog = .latest,
    _ handler: @escaping @Sendable (Owner, CollectionChange<Value>) -> Void
  ) -> BindingToken {
    changes.observe(owner, on: context, backlog: backlog, handler)
  }

  /// Calls `handler` with the whole collection, and then with each change, on `actor`, until the actor is gone.
  ///
  /// See `observe` for the parameters and the lifetime.
  @inlinable
  @discardableResult
  public func observeChanges<Owner: Actor>(
    with actor: Owner,
    backlog: Backlog = .latest,
    _ handler: @escaping @Sendable (isolated Owner, CollectionChange<Value>) -> Void
  ) -> BindingToken {
    changes.observe(with: actor, backlog: backlog, handler)
  }
}
