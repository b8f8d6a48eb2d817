extension BindingSource {
  /// Keeps `object` alive as long as the returned source, or a copy of it, exists.
  ///
  /// A source does not keep its cell alive. Use this method where a function creates a cell and returns only a source
  /// that reads the cell:
  ///
  /// ```swift
  /// func doubled(_ ticks: AsyncStream<Int>) -> some BindingSource<Int> {
  ///   let cell = BindableActor(following: ticks)
  ///   return cell.compactMap { $0.map { 2 * $0 } }.keeping(cell)
  /// }
  /// ```
  ///
  /// Only the returned source keeps the object. The readers of that source do not keep the object, and neither do the
  /// sources that operators make from that source. So call this method last, and hold the source as you would hold the
  /// object. A task or a handler that refers to the source holds the source too.
  @inlinable
  public func keeping<Object: AnyObject & Sendable>(_ object: Object) -> some BindingSource<Value> {
    KeepingSource(self, object)
  }
}

extension StateSource {
  /// Keeps `object` alive as long as the returned source, or a copy of it, exists.
  ///
  /// ```swift
  /// func doubled(_ ticks: AsyncStream<Int>) -> some StateSource<Int> {
  ///   let cell = BindableActor(0, following: ticks)
  ///   return cell.map { 2 * $0 }.keeping(cell)
  /// }
  /// ```
  ///
  /// Only the returned source keeps the object. The readers of that source do not keep the object, and neither do the
  /// sources that operators make from that source. So call this method last, and hold the source as you would hold the
  /// object. A task or a handler that refers to the source holds the source too.
  @inlinable
  public func keeping<Object: AnyObject & Sendable>(_ object: Object) -> some StateSource<Value> {
    KeepingSource(self, object)
  }
}

/// The source of `keeping`. Its cursor does not hold the object. The reason: the object may be the cell itself, and a
/// cell holds the cursors of its observations. So a cursor that held the object would close a reference cycle.
@usableFromInline
struct KeepingSource<Base: BindingSource, Object: AnyObject & Sendable>: BindingSource {
  @usableFromInline typealias Value = Base.Value

  @usableFromInline let base: Base
  @usableFromInline let object: Object

  @inlinable
  init(_ base: Base, _ object: Object) {
    self.base = base
    self.object = object
  }

  @inlinable
  var cursor: Base.Cursor { base.cursor }
}

extension KeepingSource: ObjectKeeping {
  @usableFromInline var kept: (any Sendable)? { object }
}

extension KeepingSource: StateSource where Base: StateSource {
  @inlinable
  var value: Base.Value { base.value }
}
