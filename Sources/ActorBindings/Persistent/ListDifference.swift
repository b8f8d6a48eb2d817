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
    return contents(of: nodes) { unsafe $0.children }
  }

  // Of one node, as most of the time, it is what that node holds.
  @inlinable
  func contents<Content>(
    of nodes: ArraySlice<Node.Child>,
    _ content: (Node) -> ContiguousArray<Content>
  ) -> ArraySlice<Content> {
    if nodes.count == 1, let only = nodes.first { return content(only.node)[...] }
    return nodes.flatMap { content($0.node) }[...]
  }

  // Nodes of the same height.
  @inlinable
  mutating func compare(_ olds: ArraySlice<Node.Child>, _ news: ArraySlice<Node.Child>) {
    forEachStretch(of: olds, news, id: { ObjectIdentifier($0.node) }, length: { $0.count }) {
      difference,
      olds,
      news in
      difference.compareInside(olds, news)
    }
  }

  @inlinable
  mutating func compareInside(_ olds: ArraySlice<Node.Child>, _ news: ArraySlice<Node.Child>) {
    guard let node = olds.first?.node ?? news.first?.node else { return }
    if !node.isLeaf { return compare(children(of: olds), children(of: news)) }
    visits += olds.count + news.count
    compare(contents(of: olds) { unsafe $0.items }, contents(of: news) { unsafe $0.items })
  }

  @inlinable
  mutating func compare(_ olds: ArraySlice<Slot>, _ news: ArraySlice<Slot>) {
    forEachStretch(of: olds, news, id: { $0.mark }, length: { _ in 1 }) { difference, olds, news in
      difference.note(olds, news)
    }
  }

  // Passes over what is the same on both sides, and has what is between looked into. The offsets go along.
  @inlinable
  @inline(__always)
  mutating func forEachStretch<Thing, ID: Hashable>(
    of olds: ArraySlice<Thing>,
    _ news: ArraySlice<Thing>,
    id: (Thing) -> ID,
    length: (Thing) -> Int,
    _ look: (inout Self, ArraySlice<Thing>, ArraySlice<Thing>) -> Void
  ) {
    var (oldStart, newStart) = (olds.startIndex, news.startIndex)
    var (oldEnd, newEnd) = (olds.endIndex, news.endIndex)
    while oldStart < oldEnd, newStart < newEnd, id(olds[oldStart]) == id(news[newStart]) {
      passOver(length(olds[oldStart]))
      (oldStart, newStart) = (oldStart + 1, newStart + 1)
    }
    while oldEnd > oldStart, newEnd > newStart, id(olds[oldEnd - 1]) == id(news[newEnd - 1]) {
      (oldEnd, newEnd) = (oldEnd - 1, newEnd - 1)
    }
    if oldEnd - oldStart > 1 || newEnd - newStart > 1 {
      for (old, new) in commonOnes(olds[oldStart..<oldEnd], news[newStart..<newEnd], id: id) {
        look(&self, olds[oldStart..<old], news[newStart..<new])
        passOver(length(olds[old]))
        (oldStart, newStart) = (old + 1, new + 1)
      }
    }
    look(&self, olds[oldStart..<oldEnd], news[newStart..<newEnd])
    // Whatever comes behind on this level is the same.
    for thing in olds[oldEnd...] { passOver(length(thing)) }
  }

  @inlinable
  mutating func passOver(_ count: Int) {
    oldOffset += count
    newOffset += count
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
  if olds.isEmpty || news.isEmpty { return [] }
  let places = Dictionary(olds.indices.map { (id(olds[$0]), $0) }) { first, _ in first }
  return longestRise(of: news.indices.compactMap { new in places[id(news[new])].map { (old: $0, new: new) } })
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
