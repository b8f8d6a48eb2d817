extension BindingSource {
  /// A source of an array with the same elements in order. A state stays a state.
  ///
  /// ```swift
  /// let ranking = players.sorted { $0.points > $1.points }
  /// ```
  ///
  /// Each reader keeps the order: to put a new element in its place costs what grows with the logarithm of their number.
  /// Of elements that are neither before the other, the one that came first is first, wherever it is moved to. To read
  /// `value` sorts all.
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
  private var input: PersistentArray<Element> = []
  private var order: SortedList<Element>
  // Which one in the order each element is.
  private var numbers = ListTree<SortedList<Element>.Number>()

  @usableFromInline
  init(_ areInIncreasingOrder: @escaping @Sendable (Element, Element) -> Bool) {
    order = SortedList(areInIncreasingOrder)
  }

  /// The elements in order, so far.
  public var output: PersistentArray<Element> { order.elements }

  /// Puts what is new in its place.
  public mutating func update(to input: PersistentArray<Element>) -> Bool {
    let edits = input.edits(from: self.input)
    self.input = input
    var hasChanged = false
    for edit in edits {
      switch edit {
      case .insert(let offset, let element):
        numbers.insert(.init(value: order.insert(element)), at: offset)
      case .remove(let offset, let element):
        order.remove(element, numbers.remove(at: offset).value)
      case .update(let offset, let element, let old):
        let number = numbers[offset].value
        order.remove(old, number)
        order.insert(element, number)
      case .move(let source, let destination, _):
        numbers.insert(numbers.remove(at: source), at: destination)
        continue
      }
      hasChanged = true
    }
    return hasChanged
  }
}

/// Elements in order. Each has a number: of those that are neither before the other the lower number is first.
struct SortedList<Element: Sendable>: Sendable {
  struct Number: ListItem {
    let value: Int
    var weight: Int { 0 }
  }

  private let areInIncreasingOrder: @Sendable (Element, Element) -> Bool
  private var numbers = ListTree<Number>()
  private var lastNumber = 0
  private(set) var elements: PersistentArray<Element> = []

  init(_ areInIncreasingOrder: @escaping @Sendable (Element, Element) -> Bool) {
    self.areInIncreasingOrder = areInIncreasingOrder
  }

  /// Returns the number of the element: the next one, if it has none yet.
  @discardableResult
  mutating func insert(_ element: Element, _ number: Int? = nil) -> Int {
    if number == nil { lastNumber += 1 }
    let number = number ?? lastNumber
    let place = place(of: element, number)
    numbers.insert(Number(value: number), at: place)
    elements.insert(element, at: place)
    return number
  }

  mutating func remove(_ element: Element, _ number: Int) {
    var place = place(of: element, number)
    if place == elements.count || numbers[place].value != number {
      // What was said of the order was not true of all elements.
      place = numbers.enumerated().first { $1.value == number }?.offset ?? place
    }
    _ = numbers.remove(at: place)
    elements.remove(at: place)
  }

  // The first place before which everything is before it.
  private func place(of element: Element, _ number: Int) -> Int {
    var (low, high) = (0, elements.count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(middle, element, number) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func isBefore(_ place: Int, _ element: Element, _ number: Int) -> Bool {
    let other = elements[place]
    if areInIncreasingOrder(other, element) { return true }
    if areInIncreasingOrder(element, other) { return false }
    return numbers[place].value < number
  }
}
