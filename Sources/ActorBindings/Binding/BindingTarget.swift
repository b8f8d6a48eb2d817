/// What a source can be bound to without saying which property: an object that knows what is meant.
///
/// ```swift
/// extension Label: BindingTarget {
///   func receive(_ text: String) { self.text = text }
/// }
///
/// user.map(\.name).bind(to: label)
/// user.map(\.name) ->> label
/// ```
///
/// A class that belongs to a global actor conforms on it: `extension Label: @MainActor BindingTarget`. A cell is a
/// target too, and a closure can be one, as a `BindingSink`.
public protocol BindingTarget<Input>: AnyObject {
  /// What it takes.
  associatedtype Input

  /// Takes the next value.
  func receive(_ input: Input)
}

/// A closure as the target of bindings: they end when it goes.
///
/// Bindings hold it weakly, like every target, so keep it: one that is made where it is bound to goes at once.
public final class BindingSink<Input>: BindingTarget {
  private let body: (Input) -> Void

  /// A target that calls `body`.
  public init(_ body: @escaping (Input) -> Void) {
    self.body = body
  }

  /// Calls the closure.
  public func receive(_ input: Input) {
    body(input)
  }
}

// Its closure may belong to one isolation alone.
@available(*, unavailable)
extension BindingSink: Sendable {}

extension BindableActor: BindingTarget {
  /// Sends the value.
  @inlinable
  public nonisolated func receive(_ value: Value) {
    send(value)
  }
}

extension BindingSource {
  /// Hands each value to `target`, on the isolation of the caller, until the target is gone.
  ///
  /// - Parameters:
  ///   - target: Is held weakly, and need not be Sendable. It has the current value before this returns.
  ///   - backlog: How many values may wait.
  ///   - isolation: The actor that the caller runs on.
  /// - Returns: A token to end the binding earlier than its target.
  @inlinable
  @discardableResult
  public func bind<Target: BindingTarget<Value>>(
    to target: Target,
    backlog: Backlog = .latest,
    isolation: isolated any Actor = #isolation
  ) -> BindingToken {
    observe(target, backlog: backlog, isolation: isolation) { $0.receive($1) }
  }

  /// Hands each value to `target`, on a context, until the target is gone.
  ///
  /// - Parameters:
  ///   - target: Is held weakly, and touched on the context alone.
  ///   - context: Where it is handed the values.
  ///   - backlog: How many values may wait.
  /// - Returns: A token to end the binding earlier than its target.
  @inlinable
  @discardableResult
  public func bind<Target: BindingTarget<Value> & Sendable>(
    to target: Target,
    on context: DeliveryContext,
    backlog: Backlog = .latest
  ) -> BindingToken {
    observe(target, on: context, backlog: backlog) { $0.receive($1) }
  }

  /// Keeps the value of `cell` equal to this source, until `cell` is gone. It is written on its own isolation.
  ///
  /// - Parameters:
  ///   - cell: Is held weakly, and may be written by others too. It does not finish with this source.
  ///   - backlog: How many values may wait.
  /// - Returns: A token to end the binding earlier than its cell.
  @inlinable
  @discardableResult
  public func bind(to cell: BindableActor<Value>, backlog: Backlog = .latest) -> BindingToken {
    observe(with: cell, backlog: backlog) { cell, value in cell.send(value) }
  }
}
