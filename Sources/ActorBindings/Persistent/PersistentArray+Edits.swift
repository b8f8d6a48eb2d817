extension PersistentArray {
  /// The steps that make this array of `old`.
  ///
  /// An element that was kept is in none of the steps, or it is moved. One that was written at the place of another is an
  /// update, though the two may be equal. Where more than 64 were moved, they are removed and inserted.
  ///
  /// First elements are removed, from the end; then moved; then inserted, from the beginning; then updated. Each offset is
  /// that of the array as the steps before it have left it: `CollectionDifference(edits)` has the other kind.
  ///
  /// - Complexity: That of the differences: what both share is not looked at. Nothing is shared by arrays of which none
  ///   was made of the other, or both of a third.
  @inlinable
  public func edits(from old: PersistentArray) -> [ArrayEdit<Element>] {
    EditScript(ListDifference(from: old.slots.root, to: slots.root).hunks).edits
  }

  /// The steps that make this array of `old`, unless there are more than `limit`: then nil.
  @inlinable
  public func edits(from old: PersistentArray, limit: Int) -> [ArrayEdit<Element>]? {
    let edits = edits(from: old)
    return edits.count <= limit ? edits : nil
  }

  /// How many nodes have to be looked into to tell the two apart.
  package func visits(from old: PersistentArray) -> Int {
    ListDifference(from: old.slots.root, to: slots.root).visits
  }
}

/// Makes steps of the places where two arrays differ.
@usableFromInline
struct EditScript<Element: Sendable>: Sendable {
  @usableFromInline typealias Slot = ListSlot<Element>

  @usableFromInline
  struct Move: Sendable {
    @usableFromInline let element: Element
    @usableFromInline let old: Int
    @usableFromInline let new: Int
    /// Where in the old array the element is after which it comes, of those that stay where they are. -1 if there is none.
    @usableFromInline let anchor: Int

    @inlinable
    init(element: Element, old: Int, new: Int, anchor: Int) {
      self.element = element
      self.old = old
      self.new = new
      self.anchor = anchor
    }
  }

  @usableFromInline let hunks: [ListDifference<Element>.Hunk]

  @inlinable
  init(_ hunks: [ListDifference<Element>.Hunk]) {
    self.hunks = hunks
  }

  /// To move this many elements one after the other is worth finding out where each is meanwhile.
  @inlinable static var maxMoves: Int { 64 }

  @inlinable var edits: [ArrayEdit<Element>] {
    let moved = movedOnes
    var removals: [(offset: Int, element: Element)] = []
    var insertions: [(offset: Int, element: Element)] = []
    var updates: [ArrayEdit<Element>] = []
    var moves: [Move] = []
    for hunk in hunks {
      var anchor = hunk.oldStart - 1
      var removed: [(offset: Int, element: Element)] = []
      for (index, slot) in hunk.removed.enumerated() where moved[slot.mark] == nil {
        removed.append((hunk.oldStart + index, slot.element))
      }
      var olds = removed[...]
      for (index, slot) in hunk.inserted.enumerated() {
        let offset = hunk.newStart + index
        if let old = moved[slot.mark] {
          moves.append(Move(element: slot.element, old: old, new: offset, anchor: anchor))
        } else if let old = olds.popFirst() {
          updates.append(.update(offset: offset, element: slot.element, old: old.element))
          anchor = old.offset
        } else {
          insertions.append((offset, slot.element))
        }
      }
      removals += olds
    }
    var edits: [ArrayEdit<Element>] = []
    edits.reserveCapacity(removals.count + moves.count + insertions.count + updates.count)
    for removal in removals.reversed() {
      edits.append(.remove(offset: removal.offset, element: removal.element))
    }
    if !moves.isEmpty {
      edits += steps(moves, without: removals.map { $0.offset }, before: insertions.map { $0.offset })
    }
    for insertion in insertions {
      edits.append(.insert(offset: insertion.offset, element: insertion.element))
    }
    edits += updates
    return edits
  }

  // Which slots are elsewhere, and where they were.
  @inlinable var movedOnes: [EntryMark: Int] {
    var moved: [EntryMark: Int] = [:]
    var (removals, insertions) = (0, 0)
    for hunk in hunks {
      removals += hunk.removed.count
      insertions += hunk.inserted.count
    }
    // Of one place that is written, as most of the time, nothing is elsewhere.
    if removals == 0 || insertions == 0 || hunks.count == 1 && removals == 1 { return moved }
    var inserted: Set<EntryMark> = []
    inserted.reserveCapacity(insertions)
    for hunk in hunks {
      for slot in hunk.inserted { inserted.insert(slot.mark) }
    }
    for hunk in hunks {
      for (index, slot) in hunk.removed.enumerated() where inserted.contains(slot.mark) {
        moved[slot.mark] = hunk.oldStart + index
      }
    }
    return moved.count > Self.maxMoves ? [:] : moved
  }

  // One after the other, in the order of where they go to. Those that have not moved yet are still where they were.
  @inlinable
  func steps(_ moves: [Move], without removals: [Int], before insertions: [Int]) -> [ArrayEdit<
    Element
  >] {
    var pending = moves.map { $0.old - removals.count(below: $0.old) }
    let anchors = moves.map { $0.anchor < 0 ? -1 : $0.anchor - removals.count(below: $0.anchor) }
    let all = pending.sorted()
    var steps: [ArrayEdit<Element>] = []
    for (index, move) in moves.enumerated() {
      let source = pending.removeFirst()
      let settledBefore = anchors[..<index].count { $0 < source }
      let from = source - all.count(below: source) + settledBefore + pending.count { $0 < source }
      let to = move.new - insertions.count(below: move.new) + pending.count { $0 < anchors[index] }
      if from != to { steps.append(.move(from: from, to: to, element: move.element)) }
    }
    return steps
  }
}

extension [Int] {
  /// How many there are below `limit`, of ascending ones.
  @inlinable
  func count(below limit: Int) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < limit { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
