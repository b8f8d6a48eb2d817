/// The upstream of a cell that shows what other cells hold. A combination reads those cells instead of this one.
@usableFromInline
package class ViewUpstream<Value: Sendable>: Upstream, @unchecked Sendable {
  @usableFromInline typealias MakePart = @Sendable (_ counted: inout Set<ObjectIdentifier>) -> Part<Value>

  /// Makes a part that shows the same. That part does not count the cells in `counted` again.
  @usableFromInline let makePart: MakePart

  @usableFromInline
  init(makePart: @escaping MakePart) {
    self.makePart = makePart
  }
}
