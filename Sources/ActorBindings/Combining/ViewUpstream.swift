/// The upstream of a cell that shows what other cells hold. A combination of this cell reads those other cells instead.
@usableFromInline
package class ViewUpstream<Value: Sendable>: Upstream, @unchecked Sendable {
  @usableFromInline typealias MakeView =
    @Sendable (ViewUpstream, _ counted: inout CountedCells) -> JunctionView<Value>

  // A stored function, because client modules do not specialize the methods of a generic class. It receives the upstream
  // instead of capturing it, so it needs no allocation.
  @usableFromInline let makeView: MakeView

  @usableFromInline
  init(makeView: @escaping MakeView) {
    self.makeView = makeView
  }

  /// What those other cells show now, if this upstream is that of a joint cell.
  @usableFromInline var current: Value? { nil }

  /// Returns a view of those other cells. The view does not count the versions of the cells in `counted` again.
  @inlinable
  final func view(_ counted: inout CountedCells) -> JunctionView<Value> {
    makeView(self, &counted)
  }
}
