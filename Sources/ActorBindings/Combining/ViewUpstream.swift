/// The upstream of a cell that shows what other cells hold. A combination of this cell reads those other cells instead.
@usableFromInline
package class ViewUpstream<Value: Sendable>: Upstream, @unchecked Sendable {
  @usableFromInline typealias MakeView =
    @Sendable (_ counted: inout Set<ObjectIdentifier>) -> JunctionView<Value>

  /// Makes a view of those other cells. The view does not count the versions of the cells in `counted` again.
  @usableFromInline let makeView: MakeView

  @usableFromInline
  init(makeView: @escaping MakeView) {
    self.makeView = makeView
  }
}
