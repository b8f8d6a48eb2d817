/// What an operator makes of a collection, kept up to date step by step.
///
/// It is handed the collection as its reader finds it, and finds out itself what differs from the one before. So it costs
/// what differs; and since the result shares with the one before what both have in common, so do those who read it.
///
/// The types that conform are the library's own.
public protocol ElementsOperation: Sendable {
  /// What it is made of.
  associatedtype Input: Sendable
  /// What is made of it.
  associatedtype Output: PersistentCollection

  /// Brings `output` up to date, and returns whether it has changed.
  mutating func update(to input: Input) -> Bool

  /// What has been made so far.
  var output: Output { get }
}

/// The cursor of operators that keep what they make of a collection.
public struct ElementsCursor<Base: BindingCursor, Operation: ElementsOperation>: BindingCursor
where Operation.Input == Base.Element {
  /// What is made of the collection.
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

  /// The next collection. One of which nothing has changed is passed over.
  @inlinable
  public mutating func next(in round: Round<Base.Origin>?) -> Pull<Element> {
    switch base.next(in: round) {
    case .element(let input, let stamp):
      let isNew = operation.update(to: input)
      defer { hasBegun = true }
      return isNew || !hasBegun ? .element(operation.output, stamp) : .rejected(stamp)
    case .rejected(let stamp): return .rejected(stamp)
    case .idle: return .idle
    case .finished: return .finished
    }
  }
}

extension ElementsCursor: StateCursor where Base: StateCursor {
  /// The current collection, made anew.
  @inlinable
  public var current: Element {
    var operation = operation
    _ = operation.update(to: base.current)
    return operation.output
  }
}
