/// An operator on collections that keeps its result up to date edit by edit.
///
/// The operator compares each collection that its reader finds with the previous collection. So the cost of an update
/// grows with the number of differences. The cost for a reader of the results grows in the same way, because each
/// result shares its unchanged nodes with the previous result.
///
/// Only types of this library conform.
@_documentation(visibility: internal)
public protocol ElementsOperation<Input, Output>: Sendable {
  /// The type of the value that the operation reads.
  associatedtype Input: Sendable
  /// The type of the result.
  associatedtype Output: PersistentCollection

  /// Brings `output` up to date with `input`. Returns whether `output` has changed.
  mutating func bringUpToDate(with input: Input) -> Bool

  /// The result after the last call of `bringUpToDate(with:)`.
  var output: Output { get }
}

/// An operation on one collection. It keeps the collection from which it made `output`, and finds the edits from that
/// collection to the next one.
@usableFromInline
protocol EditingOperation: ElementsOperation where Input: PersistentCollection {
  /// The collection from which the operation made `output`.
  var input: Input { get set }

  /// Makes `output` from `input` in bulk. `self.input` must be empty. Returns whether `output` has elements; nil if
  /// this operation can only apply single edits.
  mutating func fill(with input: Input) -> Bool?

  /// Brings `output` up to date with one edit. Returns whether `output` has changed.
  mutating func apply(_ edit: Input.Edit) -> Bool
}

extension EditingOperation {
  @inlinable
  mutating func fill(with input: Input) -> Bool? { nil }

  @inlinable
  mutating func bringUpToDate(with input: Input) -> Bool {
    if self.input.count == 0, let hasElements = fill(with: input) {
      self.input = input
      return hasElements
    }
    let edits = input.edits(from: self.input)
    self.input = input
    var hasChanged = false
    for edit in edits where apply(edit) { hasChanged = true }
    return hasChanged
  }
}

/// The cursor of an operator on collections. Its `ElementsOperation` keeps the result.
@_documentation(visibility: internal)
public struct ElementsCursor<Base: BindingCursor, Operation: ElementsOperation>: WrappingCursor
where Operation.Input == Base.Element {
  /// The type of the result.
  public typealias Element = Operation.Output

  /// The cursor inside.
  public var base: Base
  @usableFromInline var operation: Operation
  @usableFromInline var hasBegun = false

  @inlinable
  init(base: Base, _ operation: Operation) {
    self.base = base
    self.operation = operation
  }

  /// Returns the next result. Passes over each update that does not change the result, except the first update.
  @inlinable
  public mutating func next(in pass: PassSnapshot<Base.Origin>?) -> Pull<Element> {
    base.next(in: pass).flatMap { input, stamp in
      let isNew = operation.bringUpToDate(with: input)
      defer { hasBegun = true }
      return isNew || !hasBegun ? .element(operation.output, stamp) : .rejected(stamp)
    }
  }
}

extension ElementsCursor: StateCursor where Base: StateCursor {
  /// The current result, computed from the current collection on each access.
  @inlinable
  public var current: Element {
    var operation = operation
    _ = operation.bringUpToDate(with: base.current)
    return operation.output
  }
}
