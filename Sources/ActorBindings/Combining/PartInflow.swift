/// Where the values of a cell come from that shows what other cells hold, and how a combination reads these instead.
@usableFromInline
package class PartInflow<Value: Sendable>: Inflow, @unchecked Sendable {
  @usableFromInline typealias MakePart = @Sendable (_ counted: inout Set<ObjectIdentifier>) -> Part<Value>

  /// Makes a part that shows the same. The cells that are `counted` already are not counted again.
  @usableFromInline let makePart: MakePart

  @usableFromInline
  init(makePart: @escaping MakePart) {
    self.makePart = makePart
  }
}
