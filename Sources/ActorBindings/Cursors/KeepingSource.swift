extension BindingSource {
  /// Keeps `object` alive as long as the returned source, or a copy of it, exists.
  ///
  /// A source does not keep its cell alive. Use this where a function creates a cell and returns only a source of it:
  ///
  /// ```swift
  /// func doubled(_ ticks: AsyncStream<Int>) -> some BindingSource<Int> {
  ///   let cell = BindableActor(following: ticks)
  ///   return cell.compactMap { $0.map { 2 * $0 } }.keeping(cell)
  /// }
  /// ```
  ///
  /// Only the source keeps the object: neither its readers do, nor the sources that operators make of it. So call this
  /// last, and hold the source as you would hold the object. A task or a handler that mentions the source holds it too.
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
  /// Only the source keeps the object: neither its readers do, nor the sources that operators make of it. So call this
  /// last, and hold the source as you would hold the object. A task or a handler that mentions the source holds it too.
  @inlinable
  public func keeping<Object: AnyObject & Sendable>(_ object: Object) -> some StateSource<Value> {
    KeepingSource(self, object)
  }
}

/// The source of `keeping`. Its cursor does not hold the object. A cell holds the cursors of its observations, so if
/// the object is the cell itself, a cursor that held it would close a reference cycle.
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

extension KeepingSource: StateSource where Base: StateSource {
  @inlinable
  var value: Base.Value { base.value }
}
