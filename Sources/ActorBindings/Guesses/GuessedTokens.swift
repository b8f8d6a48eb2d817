// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Guesses of methods of tokens, bags and contexts.

extension BindingToken {
  @available(*, unavailable, renamed: "cancel()")
  public func dispose() { refused() }

  @available(*, unavailable, renamed: "cancel()")
  public func invalidate() { refused() }

  @available(*, unavailable, renamed: "cancel()")
  public func unsubscribe() { refused() }

  @available(*, unavailable, renamed: "store(in:)")
  public func disposed(by bag: DisposeBag) { refused() }

  @available(*, unavailable, message: "tokens are kept in a DisposeBag: store(in: bag), without `&`")
  public func store<Tokens>(in tokens: inout Tokens) { refused() }
}

extension DisposeBag {
  @available(*, unavailable, renamed: "dispose()")
  public func cancel() { refused() }

  @available(*, unavailable, message: "use dispose(); a bag that is disposed of cancels what is put in later")
  public func removeAll() { refused() }

  @available(*, unavailable, renamed: "insert(_:)")
  public func add(_ token: BindingToken) { refused() }

  @available(*, unavailable, renamed: "insert(_:)")
  public func append(_ token: BindingToken) { refused() }
}

extension DeliveryContext {
  @available(*, unavailable, renamed: "main")
  public static var mainActor: DeliveryContext { refused() }

  @available(*, unavailable, message: "use observe(with: actor) { actor, value in … }")
  public static func actor<Owner: Actor>(_ actor: Owner) -> DeliveryContext { refused() }
}
