/// The upstream of a cell that shows what other cells hold. A combination reads those cells instead of this one.
@usableFromInline
package class ViewUpstream<Value: Sendable>: Upstream, @unchecked Sendable {
  @usableFromInline typealias MakeView =
    @Sendable (_ counted: inout Set<ObjectIdentifier>) -> JunctionView<Value>

  /// Makes a view that shows the same. That view does not count the cells in `counted` again.
  @usableFromInline let makeView: MakeView

  @usableFromInline
  init(makeView: @escaping MakeView) {
    self.makeView = makeView
  }
}
