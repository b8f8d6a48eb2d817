/// Groups the values of any number of sources: the first value of each, then the second value of each, and so on.
///
/// ```swift
/// let rounds = zip(players.map(\.moves))
/// ```
///
/// A group is an array, in the order of the sources. The result begins with the current value of each source, and ends
/// when all have ended; without sources it ends at once. Values without a group wait at the reader, within its backlog,
/// as with `zip(_:_:)`: use `.unbounded` if the groups matter. A write to one of n sources takes O(log n) steps, and
/// each group takes O(n).
public func zip<Source: BindingSource>(_ sources: some Sequence<Source>) -> some BindingSource<[Source.Value]>
{
  DerivedSource(ZipListCursor(sources.map(\.cursor)))
}

/// The cursor of `zip` of a list.
struct ZipListCursor<Source: BindingCursor>: WrappingCursor {
  /// A group: one element of each source.
  typealias Element = [Source.Element]

  /// The cursor of the joint cell.
  var base: ListCursor<Source>
  private var unpaired: [UnpairedElements<Source.Element>]
  // The number of sources without an element that waits.
  private var missing: Int
  private var isInitial = false
  private var lastMove = LastMove()

  init(_ cursors: [Source]) {
    base = ListCursor(cursors, for: "zip")
    unpaired = cursors.map { _ in UnpairedElements() }
    missing = cursors.count
  }

  /// The newest version of which this cursor has returned all groups.
  var completed: UInt64 { lastMove.completed(at: root.seen) }

  /// Returns the next group, or `.rejected` if the element of a source is missing.
  mutating func next(in pass: PassSnapshot<Base.Origin>?) -> Pull<Element> {
    if let group = takeGroup() { return group }
    return base.next(in: pass, noting: &lastMove).flatMap { joint, stamp in
      let limit = base.root.position.depth
      for index in base.changes(to: joint) {
        let wasEmpty = unpaired[index].isEmpty
        base.show(index) { side in
          side.show(joint.items[index])
          unpaired[index].add(from: &side, limit: limit)
        }
        if wasEmpty, !unpaired[index].isEmpty { missing -= 1 }
      }
      isInitial = stamp.isInitial
      return takeGroup() ?? .rejected(takeStamp())
    }
  }

  private mutating func takeGroup() -> Pull<Element>? {
    if missing > 0 || unpaired.isEmpty { return nil }
    var group: [Source.Element] = []
    group.reserveCapacity(unpaired.count)
    for index in unpaired.indices {
      group.append(unpaired[index].removeFirst())
      if unpaired[index].isEmpty { missing += 1 }
    }
    return .element(group, takeStamp())
  }

  // The initial update may make several groups. Only the first of them, or a rejection, counts as initial.
  private mutating func takeStamp() -> Stamp {
    defer { isInitial = false }
    return base.takeStamp(isInitial: isInitial)
  }
}
