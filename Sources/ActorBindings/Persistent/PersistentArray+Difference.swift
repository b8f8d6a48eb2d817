extension PersistentArray {
  /// Takes what differs, as the standard library tells it. The process ends if it does not fit this array.
  ///
  /// ```swift
  /// board.modify { $0.apply(download.difference(from: $0)) }
  /// ```
  ///
  /// What is neither removed nor inserted stays what it was, and so does what is moved: where a removal and an insertion
  /// name each other, as after `inferringMoves()`. So whoever follows is told of what is named, and of nothing else.
  ///
  /// If elements are Equatable, one that is not equal to what is inserted for it is not moved, but removed.
  @inlinable
  public mutating func apply(_ difference: CollectionDifference<Element>) {
    apply(difference) { _, _ in true }
  }

  /// Takes what differs, as the standard library tells it. The process ends if it does not fit this array.
  @inlinable
  public mutating func apply(_ difference: CollectionDifference<Element>) where Element: Equatable {
    apply(difference) { $0 == $1 }
  }

  /// This array after what differs; nil if that does not fit it.
  @inlinable
  public func applying(_ difference: CollectionDifference<Element>) -> PersistentArray? {
    guard fits(difference) else { return nil }
    var result = self
    result.apply(difference)
    return result
  }

  /// This array after what differs; nil if that does not fit it.
  @inlinable
  public func applying(_ difference: CollectionDifference<Element>) -> PersistentArray?
  where Element: Equatable {
    guard fits(difference) else { return nil }
    var result = self
    result.apply(difference)
    return result
  }

  @inlinable
  mutating func apply(
    _ difference: CollectionDifference<Element>,
    where isSame: (Element, Element) -> Bool
  ) {
    // Not a precondition: its message is lost in release builds.
    guard fits(difference) else { fatalError("A difference does not fit an array of \(count) elements.") }
    willChange()
    var moved: [Int: Slot] = [:]
    for case .remove(let offset, _, let destination) in difference.removals.reversed() {
      let slot = slots.remove(at: offset)
      if destination != nil { moved[offset] = slot }
    }
    for case .insert(let offset, let element, let source) in difference.insertions {
      let old = source.flatMap { moved[$0] }
      let slot = if let old, isSame(old.element, element) { old } else { Slot(element, marks.take()) }
      slots.insert(slot, at: offset)
    }
  }

  // Removals and insertions are in ascending order.
  @inlinable
  func fits(_ difference: CollectionDifference<Element>) -> Bool {
    let (removals, insertions) = (difference.removals, difference.insertions)
    if case .remove(let offset, _, _)? = removals.last, offset >= count { return false }
    return insertions.enumerated().allSatisfy { index, insertion in
      if case .insert(let offset, _, _) = insertion {
        offset <= count - removals.count + index
      } else {
        false
      }
    }
  }
}
