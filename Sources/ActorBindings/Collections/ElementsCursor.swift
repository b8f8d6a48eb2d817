/// An operator on collections that keeps its result up to date edit by edit.
///
/// It receives each collection that its reader finds, and compares it with the one before. So the cost of an update grows
/// with the number of differences. A result shares its unchanged nodes with the result before it, so the cost for a reader
/// of the results grows with the differences too.
///
/// The types that conform are the library's own.
@_documentation(visibility: internal)
public protocol ElementsOperation<Input, Output>: Sendable {
  /// The type of the value that the operation reads.
  associatedtype Input: Sendable
  /// The type of the result.
  associatedtype Output: PersistentCollection

  /// Brings `output` up to date with `input`. Returns whether `output` has changed.
  mutating func bringUpToDate(with input: Input) -> Bool

  /// The result of the last update.
  var output: Output { get }
}

/// The cursor of operators on collections that keep their result.
@_documentation(visibility: internal)
public struct ElementsCursor<Base: BindingCursor, Operation: ElementsOperation>: BindingCursor
where Operation.Input == Base.Element {
  /// The type of the result.
  public typealias Element = Operation.Output

  @usableFromInline var base: Base
  @usableFromInline var operation: Operation
  @usableFromInline var hasBegun = false

  @inlinable
  init(base: Base, _ operation: Operation) {
    self.base = base
    self.operation = operation
  }

  /// The innermost cursor.
  @inlinable
  public var root: CellCursor<Base.Origin> {
    get { base.root }
    _modify { yield &base.root }
  }

  /// Returns the next result. Passes over an update that does not change the result, unless it is the first.
  @inlinable
  public mutating func next(in pass: PassSnapshot<Base.Origin>?) -> Pull<Element> {
    switch base.next(in: pass) {
    case .element(let input, let stamp):
      let isNew = operation.bringUpToDate(with: input)
      defer { hasBegun = true }
      return isNew || !hasBegun ? .element(operation.output, stamp) : .rejected(stamp)
    case .rejected(let stamp): return .rejected(stamp)
    case .idle: return .idle
    case .finished: return .finished
    }
  }
}

extension ElementsCursor: StateCursor where Base: StateCursor {
  /// The current result, computed from the current collection on each call.
  @inlinable
  public var current: Element {
    var operation = operation
    _ = operation.bringUpToDate(with: base.current)
    return operation.output
  }
}
