/// What can be observed, bound and streamed: a cell, and everything that an operator makes of one.
///
/// A source is a recipe: it keeps nothing alive, holds no value and does no work until somebody reads it.
/// Every reader has a cursor of its own. (The readers of one `switchToLatest`, `debounce` or `throttle` share what
/// reads its sources, and the value that it handed out last.) Use `some BindingSource<Value>` to hand a source out, or
/// `some StateSource<Value>` if its `value` is to be read too. An `any BindingSource<Value>` can be stored,
/// observed and bound; for operators and streams, pass it to a function that takes `some`.
public protocol BindingSource<Value>: Sendable {
  /// What readers are handed.
  associatedtype Value: Sendable
  /// How one reader reads this source.
  associatedtype Cursor: BindingCursor<Value>

  /// A cursor that stands nowhere yet. The library copies it for each reader.
  var cursor: Cursor { get }
}

/// A source that always has a value: a cell, and what `readOnly`, `map`, `removeDuplicates` and `combineLatest` make of
/// states. What other operators make may lack a value, or have another one for each reader.
public protocol StateSource<Value>: BindingSource where Cursor: StateCursor {
  /// The current value, computed from the cell's on each read.
  var value: Value { get }
}

/// How one reader reads a source: it is asked for the next element, and never waits.
///
/// An operator is a cursor around a cursor: no hop, no buffer, no task. The types that conform are the
/// library's own.
public protocol BindingCursor<Element>: Sendable {
  /// What the reader is handed.
  associatedtype Element: Sendable
  /// The value of the cell from which the elements stem.
  associatedtype Origin: Sendable

  /// The innermost cursor, which stands in the cell.
  var root: CellCursor<Origin> { get set }

  /// The next element for this reader: of the round that its lane is in, or live. Runs the operators'
  /// closures, so never under a lock.
  mutating func next(in round: Round<Origin>?) -> Pull<Element>
}

/// A cursor over a source that always has a value.
public protocol StateCursor<Element>: BindingCursor {
  /// The current element.
  var current: Element { get }
}

/// What an operator makes of a source.
public struct DerivedSource<Cursor: BindingCursor>: BindingSource {
  /// What readers are handed.
  public typealias Value = Cursor.Element

  /// A cursor that stands nowhere yet.
  public let cursor: Cursor

  @inlinable
  init(_ cursor: Cursor) {
    self.cursor = cursor
  }
}

extension DerivedSource: CustomStringConvertible {
  /// What it is a source of, as `a source of Int`.
  public var description: String { "a source of \(Value.self)" }
}

extension DerivedSource: StateSource where Cursor: StateCursor {
  /// The current value, computed from the cell's on each read.
  @inlinable
  public var value: Cursor.Element { cursor.current }
}
