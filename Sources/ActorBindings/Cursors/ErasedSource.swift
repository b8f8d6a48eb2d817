extension BindingSource {
  /// Hides the type of this source, so that you can store it, or put unlike sources into an array.
  ///
  /// ```swift
  /// let inputs: [AnyBindingSource<Int>] = [
  ///   count.erased(),
  ///   events.filter { $0 > 0 }.erased(),
  /// ]
  /// ```
  ///
  /// Readers of the result receive what readers of this source receive: the same elements with the same versions, with
  /// every backlog, and the same end. The result keeps an object alive if `keeping` made this source, and otherwise
  /// nothing. A loop costs one allocation more, an observation two, and an element one indirect call.
  ///
  /// Where the type need not be written, return a source as `some BindingSource<Value>`, which costs nothing.
  @inlinable
  public func erased() -> AnyBindingSource<Value> { AnyBindingSource(self) }
}

extension StateSource {
  /// Hides the type of this source, so that you can store it, or put unlike sources into an array.
  ///
  /// ```swift
  /// final class Form: Sendable {
  ///   let name = BindableActor("")
  ///   let canSubmit: AnyStateSource<Bool>
  ///   init() { canSubmit = name.map { !$0.isEmpty }.erased() }
  /// }
  /// ```
  ///
  /// Readers of the result receive what readers of this source receive: the same elements with the same versions, with
  /// every backlog, and the same end. The result keeps an object alive if `keeping` made this source, and otherwise
  /// nothing. A loop costs one allocation more, an observation two, and an element one indirect call.
  ///
  /// Where the type need not be written, return a source as `some StateSource<Value>`, which costs nothing.
  @inlinable
  public func erased() -> AnyStateSource<Value> { AnyStateSource(self) }
}

/// A source of any type with values of one type. `erased()` makes one.
public struct AnyBindingSource<Value: Sendable>: BindingSource {
  /// A cursor that has no position in a cell yet.
  public let cursor: ErasedCursor<Value>
  @usableFromInline let kept: (any Sendable)?

  /// Hides the type of `source`.
  @inlinable
  public init(_ source: some BindingSource<Value>) {
    if let erased = source as? AnyBindingSource {
      self = erased
    } else {
      self.init(source.cursor, keeping: (source as? any ObjectKeeping)?.kept)
    }
  }

  @inlinable
  init(_ cursor: some BindingCursor<Value>, keeping kept: (any Sendable)? = nil) {
    self.cursor = ErasedCursor(CursorBox(cursor))
    self.kept = kept
  }
}

/// A source of any type that always has a value. `erased()` makes one.
public struct AnyStateSource<Value: Sendable>: StateSource {
  /// A cursor that has no position in a cell yet.
  public let cursor: ErasedStateCursor<Value>
  @usableFromInline let kept: (any Sendable)?

  /// Hides the type of `source`.
  @inlinable
  public init(_ source: some StateSource<Value>) {
    if let erased = source as? AnyStateSource {
      self = erased
    } else {
      self.init(source.cursor, keeping: (source as? any ObjectKeeping)?.kept)
    }
  }

  @inlinable
  init(_ cursor: some StateCursor<Value>, keeping kept: (any Sendable)? = nil) {
    self.cursor = ErasedStateCursor(cursor)
    self.kept = kept
  }

  /// The current value, computed from the cell's value on each read.
  @inlinable
  public var value: Value { cursor.current }
}

/// A source that keeps an object alive, or nothing.
@usableFromInline
protocol ObjectKeeping: Sendable {
  var kept: (any Sendable)? { get }
}

extension AnyBindingSource: ObjectKeeping {}

extension AnyStateSource: ObjectKeeping {}

extension AnyBindingSource: CustomStringConvertible {
  /// A description that names the type of the values, such as `a source of Int`.
  public var description: String { "a source of \(Value.self)" }
}

extension AnyStateSource: CustomStringConvertible {
  /// A description that names the type of the values, such as `a source of Int`.
  public var description: String { "a source of \(Value.self)" }
}
