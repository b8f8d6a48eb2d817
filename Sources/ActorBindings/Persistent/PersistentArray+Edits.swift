extension PersistentArray {
  /// Returns the steps that turn `old` into this array.
  ///
  /// No step names an element that both arrays have, unless the element has moved. An element that was written in the
  /// place of another element is an update, even if the two elements are equal. If more than 64 elements have moved,
  /// none of them counts as moved. Instead, each of them is removed and inserted, or is an update of the element whose
  /// place it has taken.
  ///
  /// The steps are in this order: removals, from the end; moves; insertions, from the beginning; updates. Offsets refer
  /// to the array after all earlier steps. `CollectionDifference(edits)` has offsets that refer to the arrays before
  /// and after all steps.
  ///
  /// - Complexity: Grows with the number of differences, because the comparison skips the nodes that both arrays share.
  ///   Two arrays share nodes only if one was made from the other, or if both were made from a third. If this array is
  ///   `old` after one step, nothing is compared: the array has noted its last step.
  @inlinable
  public func edits(from old: PersistentArray) -> [ArrayEdit<Element>] {
    knownEdits(from: old) ?? EditScript(ListDifference(from: old.slots.root, to: slots.root).hunks).edits
  }

  /// Returns the steps that turn `old` into this array; nil if there are more than `limit`.
  @inlinable
  public func edits(from old: PersistentArray, limit: Int) -> [ArrayEdit<Element>]? {
    let edits = edits(from: old)
    return edits.count <= limit ? edits : nil
  }

  /// Returns the steps from `old` without a comparison, if `old` has the same contents, or the contents before the last
  /// step of this array; otherwise nil.
  @inlinable
  package func knownEdits(from old: PersistentArray) -> [ArrayEdit<Element>]? {
    if lastEdit.contents == old.lastEdit.contents { return [] }
    guard lastEdit.former == old.lastEdit.contents else { return nil }
    switch lastEdit.step {
    case .several: return nil
    case .insert(let offset): return [.insert(offset: offset, element: slots[offset].element)]
    case .remove(let offset): return [.remove(offset: offset, element: old.slots[offset].element)]
    case .update(let offset):
      return [.update(offset: offset, element: slots[offset].element, old: old.slots[offset].element)]
    case .move(let source, let destination):
      if source == destination { return [] }
      return [.move(from: source, to: destination, element: slots[destination].element)]
    }
  }

  /// Returns the number of nodes that the comparison with `old` visits.
  package func visits(from old: PersistentArray) -> Int {
    ListDifference(from: old.slots.root, to: slots.root).visits
  }
}

/// The steps from one array to another, computed from the slots in which the two arrays differ.
@usableFromInline
struct EditScript<Element: Sendable>: Sendable {
  @usableFromInline typealias Slot = ListSlot<Element>

  @usableFromInline
  struct Move: Sendable {
    @usableFromInline let element: Element
    @usableFromInline let old: Int
    @usableFromInline let new: Int
    /// The old offset of the nearest element that is before the moved element and does not move; -1 if there is none.
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

  /// The largest number of moves that the steps may contain: computing the offsets of more moves would take too long.
  @inlinable static var maxMoves: Int { 64 }

  @inlinable var edits: [ArrayEdit<Element>] {
    let moved = movedSlots
    var removals: [(offset: Int, element: Element)] = []
    var insertions: [(offset: Int, element: Element)] = []
    var updates: [ArrayEdit<Element>] = []
    var moves: [Move] = []
    for hunk in hunks {
      var anchor = hunk.oldStart - 1
      var removed: [(offset: Int, element: Element)] = []
      for (index, slot) in hunk.removed.enumerated() where moved[slot.writeID] == nil {
        removed.append((hunk.oldStart + index, slot.element))
      }
      var olds = removed[...]
      for (index, slot) in hunk.inserted.enumerated() {
        let offset = hunk.newStart + index
        if let old = moved[slot.writeID] {
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

  // The moved slots, and their old offsets.
  @inlinable var movedSlots: [WriteID: Int] {
    var moved: [WriteID: Int] = [:]
    var (removals, insertions) = (0, 0)
    for hunk in hunks {
      removals += hunk.removed.count
      insertions += hunk.inserted.count
    }
    // Most of the time a writer has written one place, and nothing has moved.
    if removals == 0 || insertions == 0 || hunks.count == 1 && removals == 1 { return moved }
    var inserted: Set<WriteID> = []
    inserted.reserveCapacity(insertions)
    for hunk in hunks {
      for slot in hunk.inserted { inserted.insert(slot.writeID) }
    }
    for hunk in hunks {
      for (index, slot) in hunk.removed.enumerated() where inserted.contains(slot.writeID) {
        moved[slot.writeID] = hunk.oldStart + index
      }
    }
    return moved.count > Self.maxMoves ? [:] : moved
  }

  // Computes the moves in the order of their destinations. Elements that move in a later step are still at their old
  // places.
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
  /// Returns the number of elements below `limit`. The array must be in ascending order.
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
