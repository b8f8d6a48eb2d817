extension PersistentArray where Element: Equatable {
  /// Replaces all elements with `elements`. Keeps current elements that equal new elements in the same order.
  ///
  /// The call looks at all elements, and takes longer if more elements differ. If there are some thousands of
  /// differences, the call keeps only elements that are equal at the same place, because a full comparison would take
  /// too long.
  @inlinable
  public mutating func replaceAll(with elements: some Collection<Element>) {
    let (olds, news) = (ContiguousArray(self), ContiguousArray(elements))
    let start = zip(olds, news).prefix { $0 == $1 }.count
    let end = zip(olds[start...].reversed(), news[start...].reversed()).prefix { $0 == $1 }.count
    let (changed, new) = (start..<olds.count - end, start..<news.count - end)
    guard let kept = longestCommonSubsequence(olds[changed], news[new], limit: Self.mostComparisons) else {
      for (index, place) in zip(changed, new) where olds[index] != news[place] {
        update(news[place], at: index)
      }
      let common = start + Swift.min(changed.count, new.count)
      replaceSubrange(common..<changed.upperBound, with: news[common..<new.upperBound])
      return
    }
    var rest = kept[...]
    for index in changed.reversed() {
      if rest.last?.old == index { rest.removeLast() } else { remove(at: index) }
    }
    rest = kept[...]
    for index in new {
      if rest.first?.new == index { rest.removeFirst() } else { insert(news[index], at: index) }
    }
  }

  @inlinable static var mostComparisons: Int { 1 << 22 }

  /// Replaces all elements with `elements`. Keeps an old element if it equals the new element with the same ID, even if
  /// its place changes.
  ///
  /// If several elements have the same ID, this compares the first old element of that ID with the first new element of
  /// that ID, and so on.
  @inlinable
  public mutating func replaceAll<ID: Hashable>(
    with elements: some Collection<Element>,
    id: KeyPath<Element, ID>
  ) {
    replaceAll(with: elements, id: id, by: ==)
  }
}

extension PersistentArray {
  /// Replaces all elements with `elements`. Keeps an old element if `areEquivalent` returns true for it and the new
  /// element with the same ID, even if its place changes.
  ///
  /// If several elements have the same ID, this compares the first old element of that ID with the first new element of
  /// that ID, and so on.
  @inlinable
  public mutating func replaceAll<ID: Hashable>(
    with elements: some Collection<Element>,
    id: KeyPath<Element, ID>,
    by areEquivalent: (Element, Element) throws -> Bool
  ) rethrows {
    var known: [ID: ArraySlice<Slot>] = [:]
    for slot in slots { known[slot.element[keyPath: id], default: []].append(slot) }
    willChange()
    var target = PersistentArray()
    target.slots = try ListTree(
      elements.map { element in
        let slot = known[element[keyPath: id]]?.popFirst()
        if let slot, try areEquivalent(slot.element, element) { return slot }
        return Slot(element, writeIDs.take())
      }
    )
    target.willChange()
    apply(target.edits(from: self))
  }
}
