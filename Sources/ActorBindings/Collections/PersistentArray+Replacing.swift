extension PersistentArray where Element: Equatable {
  /// Makes `elements` the elements of this array, and keeps what is equal: between what both have at their beginnings and
  /// at their ends as much as there is in the same order, if that is not too much to find out, else place by place.
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

  /// Makes `elements` the elements of this array. Those with the ID of one that is there take its place, or move it if
  /// they are equal. Of several elements with the same ID each goes with one of the others.
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
