/// An object that takes the values of a source itself, so that a binding need not name a property.
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
/// A class that belongs to a global actor conforms on that actor: `extension Label: @MainActor BindingTarget`. A cell
/// is a target too, and a `BindingSink` makes a target of a closure.
public protocol BindingTarget<Input>: AnyObject {
  /// The type of the values that the target takes.
  associatedtype Input

  /// Takes the next value.
  func receive(_ input: Input)
}

/// A target of bindings that calls a closure. The bindings end when the sink is deallocated.
///
/// Bindings hold a sink weakly, like every target, so keep the sink yourself: a sink that you make in the call of
/// `bind` is deallocated at once.
public final class BindingSink<Input>: BindingTarget {
  private let body: (Input) -> Void

  /// Creates a target that calls `body`.
  public init(_ body: @escaping (Input) -> Void) {
    self.body = body
  }

  /// Calls the closure.
  public func receive(_ input: Input) {
    body(input)
  }
}

// The closure of a sink may belong to a single isolation.
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
  /// Hands each value to `target`, on the isolation of the caller, until the target is deallocated.
  ///
  /// - Parameters:
  ///   - target: The target, which the binding holds weakly. It need not be Sendable. It receives the current value
  ///     before `bind` returns.
  ///   - backlog: The number of values that may wait until the target takes them.
  ///   - isolation: The actor that the caller runs on.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  /// - Returns: A token that can end the binding before `target` is deallocated.
  @inlinable
  @discardableResult
  public func bind<Target: BindingTarget<Value>>(
    to target: Target,
    backlog: Backlog = .latest,
    isolation: isolated `actor of the caller; elsewhere pass on:` = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> BindingToken {
    observe(target, backlog: backlog, isolation: isolation, fileID: fileID, line: line) { $0.receive($1) }
  }

  /// Hands each value to `target`, on a context, until the target is deallocated.
  ///
  /// - Parameters:
  ///   - target: The target. The binding holds it weakly, and touches it only on the context.
  ///   - context: Where the target receives the values.
  ///   - backlog: The number of values that may wait until the target takes them.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  /// - Returns: A token that can end the binding before `target` is deallocated.
  @inlinable
  @discardableResult
  public func bind<Target: BindingTarget<Value> & Sendable>(
    to target: Target,
    on context: DeliveryContext,
    backlog: Backlog = .latest,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> BindingToken {
    observe(target, on: context, backlog: backlog, fileID: fileID, line: line) { $0.receive($1) }
  }

  /// Keeps the value of `cell` equal to this source, until `cell` is deallocated. The binding writes on the cell's own
  /// isolation.
  ///
  /// - Parameters:
  ///   - cell: The cell. The binding holds it weakly. Other writers may write it too. The cell does not finish when
  ///     this source ends.
  ///   - backlog: The number of values that may wait until the cell takes them.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  /// - Returns: A token that can end the binding before `cell` is deallocated.
  @inlinable
  @discardableResult
  public func bind(
    to cell: BindableActor<Value>,
    backlog: Backlog = .latest,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> BindingToken {
    observe(with: cell, backlog: backlog, fileID: fileID, line: line) { cell, value in cell.send(value) }
  }
}
