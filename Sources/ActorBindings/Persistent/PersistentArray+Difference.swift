extension PersistentArray {
  /// Applies a difference of the standard library. The process ends if the difference does not fit this array.
  ///
  /// ```swift
  /// board.modify { $0.apply(download.difference(from: $0)) }
  /// ```
  ///
  /// An element that is neither removed nor inserted remains the same element. A moved element remains the same
  /// element, too: a move is a removal and an insertion that are associated with each other, as after
  /// `inferringMoves()`. So readers of a cell receive only the changes that the difference names.
  ///
  /// If the elements are Equatable, an associated removal and insertion of unequal elements do not count as a move.
  @inlinable
  public mutating func apply(_ difference: CollectionDifference<Element>) {
    apply(difference) { _, _ in true }
  }

  /// Applies a difference of the standard library. The process ends if the difference does not fit this array.
  @inlinable
  public mutating func apply(_ difference: CollectionDifference<Element>) where Element: Equatable {
    apply(difference) { $0 == $1 }
  }

  /// Returns this array after a difference; nil if the difference does not fit this array.
  @inlinable
  public func applying(_ difference: CollectionDifference<Element>) -> PersistentArray? {
    guard fits(difference) else { return nil }
    var result = self
    result.apply(difference)
    return result
  }

  /// Returns this array after a difference; nil if the difference does not fit this array.
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
    // Not a precondition, because release builds do not print the message of a precondition.
    guard fits(difference) else { fatalError("A difference does not fit an array of \(count) elements.") }
    willChange()
    var moved: [Int: Slot] = [:]
    for case .remove(let offset, _, let destination) in difference.removals.reversed() {
      let slot = slots.remove(at: offset)
      if destination != nil { moved[offset] = slot }
    }
    for case .insert(let offset, let element, let source) in difference.insertions {
      let old = source.flatMap { moved[$0] }
      let slot = if let old, isSame(old.element, element) { old } else { Slot(element, writeIDs.take()) }
      slots.insert(slot, at: offset)
    }
  }

  // Returns whether all offsets are in range. The removals and the insertions of a difference are in ascending order.
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
