// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Guesses of methods that write to a cell, or end it.

extension BindingSource where Self: BindingTarget {
  @available(*, unavailable, renamed: "send(_:)")
  public func accept(_ value: Input) { refused() }

  @available(*, unavailable, renamed: "send(_:)")
  public func onNext(_ value: Input) { refused() }

  @available(*, unavailable, renamed: "send(_:)")
  public func yield(_ value: Input) { refused() }

  @available(*, unavailable, renamed: "send(_:)")
  public func emit(_ value: Input) { refused() }

  @available(*, unavailable, renamed: "send(_:)")
  public func tryEmit(_ value: Input) { refused() }

  @available(*, unavailable, renamed: "finish()")
  public func complete() { refused() }

  @available(*, unavailable, renamed: "finish()")
  public func onCompleted() { refused() }

  @available(*, unavailable, renamed: "finish()")
  public func sendCompleted() { refused() }

  @available(*, unavailable, message: "use finish(): a source has an end, and no failure")
  public func send(completion: GuessedCompletion) { refused() }
}

/// The parameter of a guessed `send(completion:)`.
@available(*, unavailable)
public enum GuessedCompletion: Sendable {
  case finished
  case failure(any Error)
}

extension BindableCell {
  @available(*, unavailable, renamed: "modify(_:)")
  public nonisolated func mutate<R>(_ body: (inout Value) throws -> R) rethrows -> R { refused() }

  @available(*, unavailable, renamed: "modify(_:)")
  public nonisolated func withLock<R>(_ body: (inout Value) throws -> R) rethrows -> R { refused() }

  @available(*, unavailable, renamed: "modify(_:)")
  public nonisolated func withValue<R>(_ body: (inout Value) throws -> R) rethrows -> R { refused() }
}

extension BindableDictionary {
  @available(*, unavailable, renamed: "set(_:forKey:)")
  public nonisolated func updateValue(_ element: Element, forKey key: Key) -> Element? { refused() }
}

extension LoadingCell {
  @available(*, unavailable, renamed: "load()")
  public func fetch() async throws -> Content { refused() }

  @available(*, unavailable, renamed: "reload()")
  public func refresh() async throws -> Content { refused() }
}
