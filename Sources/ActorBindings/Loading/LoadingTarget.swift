/// An object that shows content that is loaded on demand, with a method for each state of ``LoadingPhase``.
///
/// ```swift
/// extension ProfileView: @MainActor LoadingTarget {
///   func showLoading(_ attempt: LoadingAttempt, last: Profile?) {
///     spinner.start()
///   }
///   func showContent(_ profile: Profile) { … }
///   func showFailure(_ error: any Error, last: Profile?) { … }
/// }
///
/// profile.consumeLoading(by: view)
/// ```
public protocol LoadingTarget<Content>: AnyObject {
  /// The type of the content.
  associatedtype Content

  /// Shows that no caller has asked for the content yet, or that every load so far was cancelled. Does nothing by
  /// default.
  func showIdle()

  /// Shows that a load is under way, or that its next attempt begins after a delay. `last` is the content to show
  /// meanwhile, if there is any.
  func showLoading(_ attempt: LoadingAttempt, last: Content?)

  /// Shows the content.
  func showContent(_ content: Content)

  /// Shows that the load has failed. `last` is the content that was loaded before, if there was any.
  func showFailure(_ error: any Error, last: Content?)
}

extension LoadingTarget {
  /// Does nothing.
  public func showIdle() {}

  /// Calls the method for `state`.
  @inlinable
  func show(_ state: LoadingPhase<Content>) {
    switch state {
    case .idle: showIdle()
    case .loading(let attempt): showLoading(attempt, last: nil)
    case .loaded(let content): showContent(content)
    case .failed(let error, let last): showFailure(error, last: last)
    case .reloading(let content, let attempt): showLoading(attempt, last: content)
    }
  }
}

extension BindingSource {
  /// Makes `target` show the state of the load, on the isolation of the caller, until the target is deallocated.
  ///
  /// - Parameters:
  ///   - target: The object that shows the state. The binding holds it weakly, and it need not be Sendable.
  ///   - isolation: The actor that the caller runs on.
  /// - Returns: A token to end the binding earlier than its target.
  @inlinable
  @discardableResult
  public func consumeLoading<Content: Sendable, Target: LoadingTarget<Content>>(
    by target: Target,
    isolation: isolated `actor of the caller; elsewhere pass on:` = #isolation
  ) -> BindingToken where Value == LoadingPhase<Content> {
    observe(target, isolation: isolation) { $0.show($1) }
  }

  /// Makes `target` show the state of the load, on a context, until the target is deallocated.
  ///
  /// - Parameters:
  ///   - target: The object that shows the state. The binding holds it weakly, and uses it only on the context.
  ///   - context: Where the binding calls the methods of the target.
  /// - Returns: A token to end the binding earlier than its target.
  @inlinable
  @discardableResult
  public func consumeLoading<Content: Sendable, Target: LoadingTarget<Content> & Sendable>(
    by target: Target,
    on context: DeliveryContext
  ) -> BindingToken where Value == LoadingPhase<Content> {
    observe(target, on: context) { $0.show($1) }
  }
}
