// Observing on the caller's own isolation. `CallersActor.swift` explains the name of the type of `isolation`.

extension BindingSource {
  /// Calls `handler` with the current value before this method returns, and then with each later value, on the
  /// isolation of the caller.
  ///
  /// ```swift
  /// @MainActor func show(_ user: BindableActor<User>) {
  ///   // `handler` may capture what is not Sendable:
  ///   token = user.observe { label.text = $0.name }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - backlog: The number of values that may wait while the handler is busy.
  ///   - isolation: The actor that the caller runs on. The observation does not keep this actor alive, and ends with
  ///     this actor.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  ///   - handler: The function to call on that actor, one call at a time, in order.
  ///   - onEnd: Called once, where `handler` runs, after the last value, when the source has ended. It is not called if
  ///     the observation was cancelled, or if its actor is gone.
  /// - Returns: The token that holds the observation. The observation ends when the token is cancelled or deallocated.
  @inlinable
  public func observe(
    backlog: Backlog = .latest,
    isolation: isolated `actor of the caller; elsewhere pass on:` = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ handler: @escaping (Value) -> Void,
    onEnd: (() -> Void)? = nil
  ) -> BindingToken {
    let site = CallSite(fileID, line)
    let recipient = HandlerRecipient(handler)
    guard let onEnd else {
      return startOnCaller(recipient, backlog: backlog, isolation: isolation, endsWithToken: true, site: site)
    }
    let ending = EndingRecipient(recipient) { _ in onEnd() }
    return startOnCaller(ending, backlog: backlog, isolation: isolation, endsWithToken: true, site: site)
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
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  ///   - handler: The function to call on that actor, one call at a time, in order.
  ///   - onEnd: Called once, where `handler` runs, after the last value, when the source has ended. It is not called if
  ///     the observation was cancelled, or if its owner or its actor is gone.
  /// - Returns: A token that can end the observation before `owner` is deallocated.
  @inlinable
  @discardableResult
  public func observe<Owner: AnyObject>(
    _ owner: Owner,
    backlog: Backlog = .latest,
    isolation: isolated `actor of the caller; elsewhere pass on:` = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ handler: @escaping (Owner, Value) -> Void,
    onEnd: ((Owner) -> Void)? = nil
  ) -> BindingToken {
    let site = CallSite(fileID, line)
    let recipient = OwnedRecipient(owner, handler)
    guard let onEnd else {
      return startOnCaller(
        recipient,
        backlog: backlog,
        isolation: isolation,
        endsWithToken: false,
        site: site
      )
    }
    let ending = EndingRecipient(recipient) { $0.owner.map(onEnd) ?? () }
    return startOnCaller(ending, backlog: backlog, isolation: isolation, endsWithToken: false, site: site)
  }
}

// Observing on another context.

extension BindingSource {
  /// Calls `handler` with the current value and each later value, on a context.
  ///
  /// - Parameters:
  ///   - context: Where the handler runs: one call at a time, in order, even on a concurrent queue.
  ///   - backlog: The number of values that may wait while the handler is busy.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  ///   - handler: The function to call.
  ///   - onEnd: Called once, where `handler` runs, after the last value, when the source has ended. It is not called if
  ///     the observation was cancelled, or if its context is gone.
  /// - Returns: The token that holds the observation. The observation ends when the token is cancelled or deallocated.
  @inlinable
  public func observe(
    on context: DeliveryContext,
    backlog: Backlog = .latest,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ handler: @escaping @Sendable (Value) -> Void,
    onEnd: (@Sendable () -> Void)? = nil
  ) -> BindingToken {
    let site = CallSite(fileID, line)
    let recipient = HandlerRecipient(handler)
    guard let onEnd else {
      return start(recipient, backlog: backlog, on: context, endsWithToken: true, site: site)
    }
    let ending = EndingRecipient(recipient) { _ in onEnd() }
    return start(ending, backlog: backlog, on: context, endsWithToken: true, site: site)
  }

  /// Calls `handler` with `owner` and the current value, and then with each later value, on a context, until `owner` is
  /// deallocated.
  ///
  /// - Parameters:
  ///   - owner: The owner, which the observation holds weakly. The library holds a strong reference only during a call,
  ///     on the context.
  ///   - context: Where the handler runs: one call at a time, in order, even on a concurrent queue.
  ///   - backlog: The number of values that may wait while the handler is busy.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  ///   - handler: The function to call.
  ///   - onEnd: Called once, where `handler` runs, after the last value, when the source has ended. It is not called if
  ///     the observation was cancelled, or if its owner or its context is gone.
  /// - Returns: A token that can end the observation before `owner` is deallocated.
  @inlinable
  @discardableResult
  public func observe<Owner: AnyObject & Sendable>(
    _ owner: Owner,
    on context: DeliveryContext,
    backlog: Backlog = .latest,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ handler: @escaping @Sendable (Owner, Value) -> Void,
    onEnd: (@Sendable (Owner) -> Void)? = nil
  ) -> BindingToken {
    let site = CallSite(fileID, line)
    let recipient = OwnedRecipient(owner, handler)
    guard let onEnd else {
      return start(recipient, backlog: backlog, on: context, endsWithToken: false, site: site)
    }
    let ending = EndingRecipient(recipient) { $0.owner.map(onEnd) ?? () }
    return start(ending, backlog: backlog, on: context, endsWithToken: false, site: site)
  }

  /// Calls `handler` with `actor` and the current value, and then with each later value, isolated to `actor`, until the
  /// actor is deallocated.
  ///
  /// ```swift
  /// config.observe(with: pool) { pool, config in
  ///   pool.resize(to: config.connections)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - actor: The actor, which the observation holds weakly.
  ///   - backlog: The number of values that may wait while the actor is busy.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  ///   - handler: The function to call. No other code of the actor runs during a call.
  ///   - onEnd: Called once, where `handler` runs, after the last value, when the source has ended. It is not called if
  ///     the observation was cancelled, or if its actor is gone.
  /// - Returns: A token that can end the observation before `actor` is deallocated.
  @inlinable
  @discardableResult
  public func observe<Owner: Actor>(
    with actor: Owner,
    backlog: Backlog = .latest,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ handler: @escaping @Sendable (isolated Owner, Value) -> Void,
    onEnd: (@Sendable (isolated Owner) -> Void)? = nil
  ) -> BindingToken {
    // Holds the actor until `start` has returned. Under the lock, `start` checks whether the actor of a lane is alive.
    // This check must not release the last reference to that actor.
    withExtendedLifetime(actor) {
      let site = CallSite(fileID, line)
      let recipient = ActorRecipient(actor, handler)
      let context = DeliveryContext(isolation: actor)
      guard let onEnd else {
        return start(recipient, backlog: backlog, on: context, endsWithToken: false, site: site)
      }
      // As in `ActorRecipient`, the lane calls the closure on the actor already.
      let onActor = unsafe unsafeBitCast(onEnd, to: ((Owner) -> Void).self)
      let ending = EndingRecipient(recipient) { unsafe $0.owner._withUnsafeGuaranteedRef { onActor($0) } }
      return start(ending, backlog: backlog, on: context, endsWithToken: false, site: site)
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
    endsWithToken: Bool,
    site: CallSite
  ) -> BindingToken where Receiver.Element == Value {
    let cursor = cursor
    let observation = CursorObservation(
      cursor,
      recipient,
      endsWithToken: endsWithToken,
      isConfined: false,
      site: site
    )
    cursor.root.cell.start(observation, depth: backlog.depth, on: context)
    return BindingToken(observation)
  }

  @inlinable
  func startOnCaller<Receiver: Recipient>(
    _ recipient: Receiver,
    backlog: Backlog,
    isolation: any Actor,
    endsWithToken: Bool,
    site: CallSite
  ) -> BindingToken where Receiver.Element == Value {
    let cursor = cursor
    let observation = CursorObservation(
      cursor,
      recipient,
      endsWithToken: endsWithToken,
      isConfined: true,
      site: site
    )
    cursor.root.cell.startOnCaller(observation, depth: backlog.depth, isolation: isolation)
    return BindingToken(observation)
  }
}
