extension PersistentArray where Element: Equatable {
  /// Replaces all elements with `elements`, and keeps the elements that are equal, in the same order.
  ///
  /// This looks at all elements, and takes longer the more elements differ. With some thousands of differences it would
  /// take too long: then it keeps only elements that are equal at the same place.
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

  /// Replaces all elements with `elements`. Keeps each old element, wherever it was, that equals the new element with
  /// the same ID.
  ///
  /// If several elements have the same ID, the first old one is compared with the first new one, and so on.
  @inlinable
  public mutating func replaceAll<ID: Hashable>(
    with elements: some Collection<Element>,
    id: KeyPath<Element, ID>
  ) {
    replaceAll(with: elements, id: id, by: ==)
  }
}

extension PersistentArray {
  /// Replaces all elements with `elements`. Keeps each old element, wherever it was, if `areEquivalent` is true of that
  /// element and the new element with the same ID.
  ///
  /// If several elements have the same ID, the first old one is compared with the first new one, and so on.
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
    apply(target.edits(from: self))
  }
}
