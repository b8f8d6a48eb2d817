// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Guesses of methods that observe, bind and stream.

extension BindingSource {
  @available(*, unavailable, renamed: "observe(_:)", message: "outside an actor, use observe(on:_:)")
  public func sink(receiveValue handler: @escaping (Value) -> Void) -> BindingToken { refused() }

  @available(
    *,
    unavailable,
    message: "use observe(_:), or observe(on:_:) outside an actor; a source has no failure"
  )
  public func sink(
    receiveCompletion: @escaping (Any) -> Void,
    receiveValue: @escaping (Value) -> Void
  ) -> BindingToken { refused() }

  @available(*, unavailable, renamed: "observe(_:)", message: "outside an actor, use observe(on:_:)")
  public func subscribe(onNext handler: @escaping (Value) -> Void) -> BindingToken { refused() }

  @available(*, unavailable, renamed: "observe(_:_:)", message: "for an actor, use observe(with:_:)")
  public func subscribe<Owner: AnyObject>(
    with owner: Owner,
    onNext handler: @escaping (Owner, Value) -> Void
  ) -> BindingToken { refused() }

  @available(*, unavailable, renamed: "observe(_:)", message: "outside an actor, use observe(on:_:)")
  public func startWithValues(_ handler: @escaping (Value) -> Void) -> BindingToken { refused() }

  @available(*, unavailable, renamed: "observe(_:)", message: "outside an actor, use observe(on:_:)")
  public func observeValues(_ handler: @escaping (Value) -> Void) -> BindingToken { refused() }

  @available(*, unavailable, message: "use observe(_:), or a loop: for await value in source.values")
  public func collect(_ handler: @escaping (Value) -> Void) { refused() }

  @available(
    *,
    unavailable,
    message: "use forEachLatest(_:), a loop in which a newer value cancels the call for the older value"
  )
  public func collectLatest(_ handler: @escaping (Value) async -> Void) { refused() }

  @available(
    *,
    unavailable,
    message: "`with:` takes an actor: use observe(owner) { … }, or observe(owner, on:) outside an actor"
  )
  public func observe<Owner: AnyObject>(
    with owner: Owner,
    backlog: Backlog = .latest,
    _ handler: @escaping (Owner, Value) -> Void
  ) -> BindingToken { refused() }

  @available(
    *,
    unavailable,
    message: "an actor is passed with `with:`: use observe(with: actor) { actor, value in … }"
  )
  public func observe<Owner: Actor>(
    on actor: Owner,
    backlog: Backlog = .latest,
    _ handler: @escaping (Value) -> Void
  ) -> BindingToken { refused() }
}

// MARK: - Binding

extension BindingSource {
  @available(*, unavailable, message: "use bind(to: object, \\.property), or bind(to: cell)")
  public func assign<Object: AnyObject, Property>(
    to property: ReferenceWritableKeyPath<Object, Property>,
    on object: Object
  ) -> BindingToken { refused() }

  @available(*, unavailable, message: "use observe(_:), or keep a BindingSink(_:) and bind(to: sink)")
  public func bind(onNext handler: @escaping (Value) -> Void) -> BindingToken { refused() }

  @available(*, unavailable, renamed: "bind(to:)")
  public func drive<Target: AnyObject>(_ target: Target) -> BindingToken { refused() }

  @available(*, unavailable, renamed: "observe(_:)")
  public func drive(onNext handler: @escaping (Value) -> Void) -> BindingToken { refused() }
}

// MARK: - Streaming

extension BindingSource {
  @available(*, unavailable, renamed: "values")
  public var stream: BindingStream<Cursor> { refused() }
}
