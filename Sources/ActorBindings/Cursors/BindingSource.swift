/// A source of values that can be observed, bound and streamed: a cell, or the result of an operator on a source.
///
/// A source is a recipe. It holds no value, and it does no work until a reader reads it. It keeps nothing alive, unless
/// `keeping` made it. Every reader has its own cursor. All readers of the result of one `switchToLatest`, `debounce` or
/// `throttle` share the work of reading the operator's sources, and the last value that the operator delivered.
///
/// A member that derives something from a source returns a source, with two exceptions:
/// - `values`, and a method with a `backlog:` but no handler or target, return a stream for `for await`. An example is
///   `updates(backlog:)`.
/// - A method with a handler or a target returns a token.
///
/// Return a source as `some BindingSource<Value>`, or as `some StateSource<Value>` if the caller also needs its
/// `value`. You can store, observe and bind an `any BindingSource<Value>`. For operators and streams, pass it to a
/// function that takes `some`.
public protocol BindingSource<Value>: Sendable {
  /// The type of the values that readers receive.
  associatedtype Value: Sendable
  /// The type of the cursor with which a reader reads this source.
  associatedtype Cursor: BindingCursor<Value>

  /// A cursor that has no position in a cell yet. The library copies it for each reader.
  var cursor: Cursor { get }
}

/// A source that always has a value: a cell, or the result of `readOnly`, `map`, `removeDuplicates`, `handleEvents`,
/// `combineLatest` or an operator on collections, if all sources of the operator are `StateSource`s. The result of any
/// other operator may lack a value, or have a different value for each reader.
public protocol StateSource<Value>: BindingSource where Cursor: StateCursor {
  /// The current value, computed from the cell's value on each read.
  var value: Value { get }
}

/// A cursor with which one reader reads a source. The reader asks the cursor for the next element; the cursor never
/// waits.
///
/// An operator wraps a cursor in another cursor, without a hop to another context, without a buffer and without a task.
/// Only types of the library conform to this protocol.
@_documentation(visibility: internal)
public protocol BindingCursor<Element>: Sendable {
  /// The type of the elements that the reader receives.
  associatedtype Element: Sendable
  /// The type of what a pass shows the innermost cursor: the value of its cell, if the type of that value is known.
  associatedtype Origin: Sendable
  /// The type of the innermost cursor.
  associatedtype Root: CursorRoot where Root.Origin == Origin

  /// The innermost cursor, which has its position in the cell.
  var root: Root { get set }

  /// Returns the next element for this reader: from `pass`, the pass of the reader's lane, or directly from the cell if
  /// `pass` is nil. Runs the operators' closures, so never call this under a lock.
  mutating func next(in pass: PassSnapshot<Origin>?) -> Pull<Element>

  /// The newest version of the cell of which this cursor has returned all elements.
  ///
  /// Most cursors make at most one element of an update. `merge` and `zip` may make many, and a delivery may stop in
  /// between. Then the reader has not handled the update yet.
  var completed: UInt64 { get }

  /// Whether `next` is inlined into loops, if the cursor is small. The frame of such a loop also has the room that `next`
  /// needs.
  static var mayBeInlinedIntoLoops: Bool { get }
}

extension BindingCursor {
  /// The version of the last update, if the cursor makes at most one element of an update.
  @inlinable public var completed: UInt64 { root.seen }

  /// False: a cursor may need much room.
  @inlinable public static var mayBeInlinedIntoLoops: Bool { false }
}

/// A cursor over a source that always has a value.
@_documentation(visibility: internal)
public protocol StateCursor<Element>: BindingCursor {
  /// The current element.
  var current: Element { get }
}

// Why an operator such as `map` returns a named type and not `some`: with `some`, each such operator would need two
// overloads, one for sources and one for state sources. But the compiler tries all combinations of overloads in an
// expression. For a combination of two combinations, the compiler took more than six seconds.

/// The result of `map`, `removeDuplicates`, `handleEvents`, `combineLatest` or an operator on collections.
///
/// The result is a `StateSource` if all sources of the operator are. Other operators return `some BindingSource`.
public struct DerivedSource<Cursor: BindingCursor>: BindingSource {
  /// The type of the values that readers receive.
  public typealias Value = Cursor.Element

  /// A cursor that has no position in a cell yet.
  public let cursor: Cursor

  @inlinable
  init(_ cursor: Cursor) {
    self.cursor = cursor
  }
}

extension DerivedSource: CustomStringConvertible {
  /// A description that names the type of the values, such as `a source of Int`.
  public var description: String { "a source of \(Value.self)" }
}

extension DerivedSource: StateSource where Cursor: StateCursor {
  /// The current value, computed from the cell's value on each read.
  @inlinable
  public var value: Cursor.Element { cursor.current }
}
