/// The differences between two trees: stretches of removed slots and inserted slots, between slots that both trees
/// have.
///
/// The comparison descends level by level. On each level it skips the nodes that both trees have in the same order.
/// Between two such nodes each tree may have a stretch of other nodes. On the next level the comparison goes on with
/// the contents of these other nodes. All leaves are at the same depth, so the comparison reaches the slots of both
/// trees at the same time. Two slots are the same if they have the same write ID. The cost is the number of differences
/// times the height.
@usableFromInline
struct ListDifference<Element: Sendable>: Sendable {
  @usableFromInline typealias Slot = ListSlot<Element>
  @usableFromInline typealias Node = ListNode<Slot>

  /// A stretch of differences between two slots that both arrays have.
  @usableFromInline
  struct Hunk: Sendable {
    /// Where the stretch begins in each array.
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

  /// The differences, in ascending order.
  @usableFromInline var hunks: [Hunk] = []
  /// The number of visited nodes.
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

  // Returns the contents of all nodes. Most of the time there is only one node, whose contents need no copy.
  @inlinable
  func contents<Content>(
    of nodes: ArraySlice<Node.Child>,
    _ content: (Node) -> ContiguousArray<Content>
  ) -> ArraySlice<Content> {
    if nodes.count == 1, let only = nodes.first { return content(only.node)[...] }
    return nodes.flatMap { content($0.node) }[...]
  }

  // Compares nodes of the same height.
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
    forEachStretch(of: olds, news, id: { $0.writeID }, length: { _ in 1 }) { difference, olds, news in
      difference.note(olds, news)
    }
  }

  // Skips what is the same on both sides, and calls `look` for each stretch in between. Advances both offsets.
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
      for (old, new) in longestCommonSubsequence(olds[oldStart..<oldEnd], news[newStart..<newEnd], id: id) {
        look(&self, olds[oldStart..<old], news[newStart..<new])
        passOver(length(olds[old]))
        (oldStart, newStart) = (old + 1, new + 1)
      }
    }
    look(&self, olds[oldStart..<oldEnd], news[newStart..<newEnd])
    // The rest of this level is the same on both sides.
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

/// Returns a longest common subsequence of two lists without duplicates, as pairs of indices in ascending order.
@inlinable
func longestCommonSubsequence<Thing, ID: Hashable>(
  _ olds: ArraySlice<Thing>,
  _ news: ArraySlice<Thing>,
  id: (Thing) -> ID
) -> [(old: Int, new: Int)] {
  if olds.isEmpty || news.isEmpty { return [] }
  let places = Dictionary(olds.indices.map { (id(olds[$0]), $0) }) { first, _ in first }
  return longestIncreasingSubsequence(
    of: news.indices.compactMap { new in places[id(news[new])].map { (old: $0, new: new) } }
  )
}

/// Returns a longest subsequence of `pairs` in which the old places increase. In `pairs` the new places must increase
/// already.
@inlinable
func longestIncreasingSubsequence(of pairs: [(old: Int, new: Int)]) -> [(old: Int, new: Int)] {
  // `ends`: for each length, the pair with the lowest old place of all pairs that end an increasing subsequence of this
  // length. `before`: for each pair, the previous pair in its subsequence.
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
  var subsequence: [(old: Int, new: Int)] = []
  var next = ends.last
  while let index = next {
    subsequence.append(pairs[index])
    next = before[index]
  }
  return subsequence.reversed()
}
