/// What shows something that has to be loaded, with a face for each of what may be known of it.
///
/// ```swift
/// extension ProfileView: @MainActor LoadingTarget {
///   func showLoading(_ attempt: LoadingAttempt, last: Profile?) { spinner.start() }
///   func showContent(_ profile: Profile) { … }
///   func showFailure(_ error: any Error, last: Profile?) { … }
/// }
///
/// profile.consumeLoading(by: view)
/// ```
public protocol LoadingTarget<Content>: AnyObject {
  /// What is loaded.
  associatedtype Content

  /// Nobody has asked for it, or the first load was given up. Does nothing unless it is said what.
  func showIdle()

  /// A load is under way, or is tried again in a while. `last` is what may be shown meanwhile.
  func showLoading(_ attempt: LoadingAttempt, last: Content?)

  /// It is loaded.
  func showContent(_ content: Content)

  /// The load has failed. `last` is what was loaded before, if there was anything.
  func showFailure(_ error: any Error, last: Content?)
}

extension LoadingTarget {
  /// Nothing.
  public func showIdle() {}

  /// Shows the face for what is known.
  @inlinable
  func show(_ state: Loading<Content>) {
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
  /// Has `target` show what is known, on the isolation of the caller, until the target is gone.
  ///
  /// - Parameters:
  ///   - target: Is held weakly, and need not be Sendable.
  ///   - isolation: The actor that the caller runs on.
  /// - Returns: A token to end the binding earlier than its target.
  @inlinable
  @discardableResult
  public func consumeLoading<Content: Sendable, Target: LoadingTarget<Content>>(
    by target: Target,
    isolation: isolated any Actor = #isolation
  ) -> BindingToken where Value == Loading<Content> {
    observe(target, isolation: isolation) { $0.show($1) }
  }

  /// Has `target` show what is known, on a context, until the target is gone.
  ///
  /// - Parameters:
  ///   - target: Is held weakly, and touched on the context alone.
  ///   - context: Where it is told.
  /// - Returns: A token to end the binding earlier than its target.
  @inlinable
  @discardableResult
  public func consumeLoading<Content: Sendable, Target: LoadingTarget<Content> & Sendable>(
    by target: Target,
    on context: DeliveryContext
  ) -> BindingToken where Value == Loading<Content> {
    observe(target, on: context) { $0.show($1) }
  }
}
