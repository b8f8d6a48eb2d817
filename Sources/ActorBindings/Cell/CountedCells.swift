/// The cells whose versions the views of a combination count already.
///
/// Most combinations show two cells. So the first two take no memory of their own.
@_documentation(visibility: internal)
public struct CountedCells: Sendable {
  private var first: ObjectIdentifier?
  private var second: ObjectIdentifier?
  private var others: Set<ObjectIdentifier> = []

  @usableFromInline
  package init() {}

  /// Counts `cell`. Returns false if it was counted before.
  @usableFromInline
  package mutating func insert(_ cell: AnyCell) -> Bool {
    let id = ObjectIdentifier(cell)
    if first == id || second == id { return false }
    if first == nil {
      first = id
    } else if second == nil {
      second = id
    } else {
      return others.insert(id).inserted
    }
    return true
  }
}
