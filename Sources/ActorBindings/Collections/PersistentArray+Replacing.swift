extension PersistentArray where Element: Equatable {
  /// Makes `elements` the elements of this array, and keeps those that are equal, in the same order.
  ///
  /// It looks at all elements. Where both differ in so many that the standard library's `difference(from:)` would take too
  /// long, over four million pairs, only those that are equal at the same place are kept.
  @inlinable
  public mutating func replaceAll(with elements: some Collection<Element>) {
    let (olds, news) = (ContiguousArray(self), ContiguousArray(elements))
    let start = zip(olds, news).prefix { $0 == $1 }.count
    let end = zip(olds[start...].reversed(), news[start...].reversed()).prefix { $0 == $1 }.count
    let (changed, new) = (start..<olds.count - end, start..<news.count - end)
    if changed.count * new.count > Self.mostComparisons {
      for (index, place) in zip(changed, new) where olds[index] != news[place] {
        update(news[place], at: index)
      }
      let common = start + Swift.min(changed.count, new.count)
      replaceSubrange(common..<changed.upperBound, with: news[common..<new.upperBound])
      return
    }
    for step in news[new].difference(from: olds[changed]) {
      switch step {
      case .remove(let offset, _, _): remove(at: start + offset)
      case .insert(let offset, let element, _): insert(element, at: start + offset)
      }
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
    var known: [ID: ArraySlice<Slot>] = [:]
    for slot in slots { known[slot.element[keyPath: id], default: []].append(slot) }
    willChange()
    var target = PersistentArray()
    target.slots = ListTree(
      elements.map { element in
        let slot = known[element[keyPath: id]]?.popFirst()
        if let slot, slot.element == element { return slot }
        return Slot(element, marks.take())
      }
    )
    apply(target.edits(from: self))
  }
}
