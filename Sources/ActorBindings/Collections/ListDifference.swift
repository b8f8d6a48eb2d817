/// Where two trees differ: what of the old one is gone, and what of the new one has come, between what both share.
///
/// Both are gone through level by level. On each level the nodes that both have in common, in the same order, are
/// passed over; between two such there is a stretch on either side, and what these consist of is compared on the next
/// level. All leaves are at the same depth, so one comes to slots on both sides at once. Slots are the same if they have
/// the same mark. So it costs what differs, times the height.
@usableFromInline
struct ListDifference<Element: Sendable>: Sendable {
  @usableFromInline typealias Slot = ListSlot<Element>
  @usableFromInline typealias Node = ListNode<Slot>

  /// Between two slots that both arrays have.
  @usableFromInline
  struct Hunk: Sendable {
    /// Where it begins in either array.
    @usableFromInline let oldStart: Int
    @usableFromInline let newStart: Int
    @usableFromInline let removed: ArraySlice<Slot>
    @usableFromInline let inserted: ArraySlice<Slot>

    @inlinable
    init(oldStart: Int, newStart: Int, removed: ArraySlice<Slot>, inserted: ArraySlice<Slot>) {
      self.oldStart = oldStart
      self.newStart = newStart
      self.removed = removed
      self.inserted = inserted
    }
  }

  /// In ascending order.
  @usableFromInline var hunks: [Hunk] = []
  /// How many nodes were looked into.
  @usableFromInline var visits = 0

  @usableFromInline var oldOffset = 0
  @usableFromInline var newOffset = 0

  @inlinable
  init(from old: Node, to new: Node) {
    if old === new { return }
    var (olds, news) = ([Node.Child(old)][...], [Node.Child(new)][...])
    while let height = olds.first?.node.height, let other = news.first?.node.height, height != other {
      if height > other { olds = children(of: olds) } else { news = children(of: news) }
    }
    compare(olds, news)
  }

  @inlinable
  mutating func children(of nodes: ArraySlice<Node.Child>) -> ArraySlice<Node.Child> {
    visits += nodes.count
    return nodes.flatMap { unsafe $0.node.children }[...]
  }

  // Nodes of the same height.
  @inlinable
  mutating func compare(_ olds: ArraySlice<Node.Child>, _ news: ArraySlice<Node.Child>) {
    let common = commonOnes(olds, news) { ObjectIdentifier($0.node) }
    var (oldIndex, newIndex) = (olds.startIndex, news.startIndex)
    for (old, new) in common {
      compareInside(olds[oldIndex..<old], news[newIndex..<new])
      oldOffset += olds[old].count
      newOffset += olds[old].count
      (oldIndex, newIndex) = (old + 1, new + 1)
    }
    compareInside(olds[oldIndex...], news[newIndex...])
  }

  @inlinable
  mutating func compareInside(_ olds: ArraySlice<Node.Child>, _ news: ArraySlice<Node.Child>) {
    guard let node = olds.first?.node ?? news.first?.node else { return }
    if !node.isLeaf { return compare(children(of: olds), children(of: news)) }
    visits += olds.count + news.count
    compare(olds.flatMap { unsafe $0.node.items }[...], news.flatMap { unsafe $0.node.items }[...])
  }

  @inlinable
  mutating func compare(_ olds: ArraySlice<Slot>, _ news: ArraySlice<Slot>) {
    let common = commonOnes(olds, news) { $0.mark }
    var (oldIndex, newIndex) = (olds.startIndex, news.startIndex)
    for (old, new) in common {
      note(olds[oldIndex..<old], news[newIndex..<new])
      oldOffset += 1
      newOffset += 1
      (oldIndex, newIndex) = (old + 1, new + 1)
    }
    note(olds[oldIndex...], news[newIndex...])
  }

  @inlinable
  mutating func note(_ removed: ArraySlice<Slot>, _ inserted: ArraySlice<Slot>) {
    if removed.isEmpty, inserted.isEmpty { return }
    hunks.append(Hunk(oldStart: oldOffset, newStart: newOffset, removed: removed, inserted: inserted))
    oldOffset += removed.count
    newOffset += inserted.count
  }
}

/// Where the same things are in both, as many as there are in the same order on both sides: in ascending order.
@inlinable
func commonOnes<Thing, ID: Hashable>(
  _ olds: ArraySlice<Thing>,
  _ news: ArraySlice<Thing>,
  id: (Thing) -> ID
) -> [(old: Int, new: Int)] {
  var common: [(old: Int, new: Int)] = []
  var (old, new) = (olds.startIndex, news.startIndex)
  while old < olds.endIndex, new < news.endIndex, id(olds[old]) == id(news[new]) {
    common.append((old, new))
    (old, new) = (old + 1, new + 1)
  }
  var (oldEnd, newEnd) = (olds.endIndex, news.endIndex)
  while oldEnd > old, newEnd > new, id(olds[oldEnd - 1]) == id(news[newEnd - 1]) {
    (oldEnd, newEnd) = (oldEnd - 1, newEnd - 1)
  }
  if old < oldEnd, new < newEnd {
    let places = Dictionary(olds[old..<oldEnd].indices.map { (id(olds[$0]), $0) }) { first, _ in first }
    let pairs = news[new..<newEnd].indices.compactMap { new in
      places[id(news[new])].map { (old: $0, new: new) }
    }
    common += longestRise(of: pairs)
  }
  common += zip(oldEnd..<olds.endIndex, newEnd..<news.endIndex).map { (old: $0, new: $1) }
  return common
}

/// As many of the pairs as possible whose old places rise. Their new places rise already.
@inlinable
func longestRise(of pairs: [(old: Int, new: Int)]) -> [(old: Int, new: Int)] {
  // The pair with which a rise of that length ends lowest, and for each pair the one before it in its rise.
  var ends: [Int] = []
  var before: [Int?] = []
  for index in pairs.indices {
    var (low, high) = (0, ends.count)
    while low < high {
      let middle = (low + high) / 2
      if pairs[ends[middle]].old < pairs[index].old { low = middle + 1 } else { high = middle }
    }
    before.append(low == 0 ? nil : ends[low - 1])
    if low == ends.count { ends.append(index) } else { ends[low] = index }
  }
  var rise: [(old: Int, new: Int)] = []
  var next = ends.last
  while let index = next {
    rise.append(pairs[index])
    next = before[index]
  }
  return rise.reversed()
}
