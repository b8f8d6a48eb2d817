extension BindingSource {
  /// A source of an array with the same elements in order. A state stays a state.
  ///
  /// ```swift
  /// let ranking = players.sorted { $0.points > $1.points }
  /// ```
  ///
  /// Each reader keeps the order: to put a new element in its place costs what grows with the logarithm of their number.
  /// To read `value` sorts all.
  ///
  /// Of elements that are neither before the other, the one that this reader was told of first is first, wherever it is
  /// moved to. So another reader, and `value`, may have them in another order: if that matters, compare something unique
  /// last.
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
  @usableFromInline var input: PersistentArray<Element> = []
  @usableFromInline var order: SortedList<Element>
  // Which one in the order each element is.
  @usableFromInline var numbers = ListTree<SortedList<Element>.Number>()

  @inlinable
  init(_ areInIncreasingOrder: @escaping @Sendable (Element, Element) -> Bool) {
    order = SortedList(areInIncreasingOrder)
  }

  /// The elements in order, so far.
  @inlinable
  public var output: PersistentArray<Element> { order.elements }

  /// Puts what is new in its place.
  @inlinable
  public mutating func update(to input: PersistentArray<Element>) -> Bool {
    if self.input.isEmpty {
      self.input = input
      numbers = ListTree(order.begin(with: Array(input)))
      return !input.isEmpty
    }
    let edits = input.edits(from: self.input)
    self.input = input
    var hasChanged = false
    for edit in edits {
      switch edit {
      case .insert(let offset, let element):
        numbers.insert(.init(order.insert(element)), at: offset)
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
@usableFromInline
struct SortedList<Element: Sendable>: Sendable {
  @usableFromInline
  struct Number: ListItem {
    @usableFromInline let value: Int

    @inlinable
    init(_ value: Int) {
      self.value = value
    }

    @inlinable var weight: Int { 0 }
  }

  @usableFromInline let areInIncreasingOrder: @Sendable (Element, Element) -> Bool
  @usableFromInline var numbers = ListTree<Number>()
  @usableFromInline var lastNumber = 0
  @usableFromInline var elements: PersistentArray<Element> = []

  @inlinable
  init(_ areInIncreasingOrder: @escaping @Sendable (Element, Element) -> Bool) {
    self.areInIncreasingOrder = areInIncreasingOrder
  }

  /// Takes all elements, where there were none, in one piece. Returns their numbers.
  @inlinable
  mutating func begin(with all: [Element]) -> [Number] {
    let new = all.indices.map { Number(lastNumber + 1 + $0) }
    lastNumber += all.count
    // It is stable: so of those that are neither before the other the lower number is first.
    let sorted = all.indices.sorted { areInIncreasingOrder(all[$0], all[$1]) }
    numbers = ListTree(sorted.lazy.map { new[$0] })
    elements = PersistentArray(sorted.lazy.map { all[$0] })
    return new
  }

  /// Returns the number of the element: the next one, if it has none yet.
  @inlinable
  @discardableResult
  mutating func insert(_ element: Element, _ number: Int? = nil) -> Int {
    if number == nil { lastNumber += 1 }
    let number = number ?? lastNumber
    let place = place(of: element, number)
    numbers.insert(Number(number), at: place)
    elements.insert(element, at: place)
    return number
  }

  @inlinable
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
  @inlinable
  func place(of element: Element, _ number: Int) -> Int {
    var (low, high) = (0, elements.count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(middle, element, number) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  @inlinable
  func isBefore(_ place: Int, _ element: Element, _ number: Int) -> Bool {
    let other = elements[place]
    if areInIncreasingOrder(other, element) { return true }
    if areInIncreasingOrder(element, other) { return false }
    return numbers[place].value < number
  }
}
