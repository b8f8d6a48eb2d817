extension BindingSource {
  /// A source of an array with the same elements in order. A state stays a state.
  ///
  /// ```swift
  /// let ranking = players.sorted { $0.points > $1.points }
  /// ```
  ///
  /// Each reader keeps the order: to put a new element in its place costs what grows with the logarithm of their number.
  /// Of elements that are neither before the other, the one that came first is first.
  @inlinable
  public func sorted<Element>(
    by areInIncreasingOrder: @escaping @Sendable (Element, Element) -> Bool
  ) -> DerivedSource<ElementsCursor<Cursor, SortedElements<Element>>>
  where Value == PersistentArray<Element> {
    DerivedSource(ElementsCursor(base: cursor, SortedElements(areInIncreasingOrder)))
  }

  /// A source of an array with the same elements in ascending order. A state stays a state.
  @inlinable
  public func sorted<Element: Comparable>() -> DerivedSource<ElementsCursor<Cursor, SortedElements<Element>>>
  where Value == PersistentArray<Element> {
    sorted { $0 < $1 }
  }
}

/// The operation of `sorted(by:)`.
public struct SortedElements<Element: Sendable>: ElementsOperation {
  private let areInIncreasingOrder: @Sendable (Element, Element) -> Bool
  private var input: PersistentArray<Element> = []
  // The numbers of the elements, in the order of the input and in that of the output: in which order they came.
  private var numbers = ListTree<Number>()
  private var sortedNumbers = ListTree<Number>()
  private var next = 0
  /// The elements in order, so far.
  public private(set) var output: PersistentArray<Element> = []

  private struct Number: ListItem {
    let value: Int
    var weight: Int { 0 }
  }

  @usableFromInline
  init(_ areInIncreasingOrder: @escaping @Sendable (Element, Element) -> Bool) {
    self.areInIncreasingOrder = areInIncreasingOrder
  }

  /// Puts what is new in its place.
  public mutating func update(to input: PersistentArray<Element>) -> Bool {
    let edits = input.edits(from: self.input)
    self.input = input
    var hasChanged = false
    for edit in edits {
      switch edit {
      case .insert(let offset, let element):
        let number = nextNumber()
        numbers.insert(number, at: offset)
        insert(element, number)
      case .remove(let offset, let element):
        remove(element, numbers.remove(at: offset))
      case .update(let offset, let element, let old):
        remove(old, numbers[offset])
        insert(element, numbers[offset])
      case .move(let source, let destination, _):
        numbers.insert(numbers.remove(at: source), at: destination)
        continue
      }
      hasChanged = true
    }
    return hasChanged
  }

  private mutating func nextNumber() -> Number {
    next += 1
    return Number(value: next)
  }

  private mutating func insert(_ element: Element, _ number: Number) {
    let place = place(of: element, number)
    sortedNumbers.insert(number, at: place)
    output.insert(element, at: place)
  }

  private mutating func remove(_ element: Element, _ number: Number) {
    var place = place(of: element, number)
    if place == output.count || sortedNumbers[place].value != number.value {
      // What was said of the order was not true of all elements.
      place = sortedNumbers.enumerated().first { $1.value == number.value }?.offset ?? place
    }
    _ = sortedNumbers.remove(at: place)
    output.remove(at: place)
  }

  // The first place before which everything is before it.
  private func place(of element: Element, _ number: Number) -> Int {
    var (low, high) = (0, output.count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(middle, element, number) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func isBefore(_ place: Int, _ element: Element, _ number: Number) -> Bool {
    let other = output[place]
    if areInIncreasingOrder(other, element) { return true }
    if areInIncreasingOrder(element, other) { return false }
    return sortedNumbers[place].value < number.value
  }
}
