extension PersistentArray where Element: Equatable {
  /// Makes `elements` the elements of this array, and keeps those that are equal, in the same order.
  ///
  /// It looks at all elements, and takes the longer the more differs. Where that would be too long, with some thousands
  /// that differ, only those that are equal at the same place are kept.
  @inlinable
  public mutating func replaceAll(with elements: some Collection<Element>) {
    let (olds, news) = (ContiguousArray(self), ContiguousArray(elements))
    let start = zip(olds, news).prefix { $0 == $1 }.count
    let end = zip(olds[start...].reversed(), news[start...].reversed()).prefix { $0 == $1 }.count
    let (changed, new) = (start..<olds.count - end, start..<news.count - end)
    guard let kept = equalOnes(olds[changed], news[new], limit: Self.mostComparisons) else {
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

  /// Makes `elements` the elements of this array, and keeps those that equal the one with the same ID, wherever it was.
  ///
  /// Of several elements with the same ID the first goes with the first, and so on.
  @inlinable
  public mutating func replaceAll<ID: Hashable>(
    with elements: some Collection<Element>,
    id: KeyPath<Element, ID>
  ) {
    replaceAll(with: elements, id: id, by: ==)
  }
}

extension PersistentArray {
  /// Makes `elements` the elements of this array, and keeps of those that were there, wherever it was, each that
  /// `areEquivalent` finds to be the same as the new one with its ID.
  ///
  /// Of several elements with the same ID the first goes with the first, and so on.
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
        return Slot(element, marks.take())
      }
    )
    apply(target.edits(from: self))
  }
}
