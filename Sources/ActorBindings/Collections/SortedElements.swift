extension BindingSource {
  /// Sorts the elements of an array. The result is a `StateSource` if this source is one.
  ///
  /// ```swift
  /// let ranking = players.sorted { $0.points > $1.points }
  /// ```
  ///
  /// Each reader keeps the sorted array, so the cost of inserting an element grows with the logarithm of the number of
  /// elements. Reading `value` sorts all elements.
  ///
  /// If neither of two elements is before the other, each reader keeps both in the order in which it received them,
  /// even if a writer moves one of them. So another reader, or `value`, may have these elements in another order. If
  /// the order matters, let `areInIncreasingOrder` compare something unique last.
  @inlinable
  public func sorted<Element>(
    by areInIncreasingOrder: @escaping @Sendable (Element, Element) -> Bool
  ) -> DerivedSource<ElementsCursor<Cursor, some ElementsOperation<Value, PersistentArray<Element>>>>
  where Value == PersistentArray<Element> {
    DerivedSource(ElementsCursor(base: cursor, SortedElements(areInIncreasingOrder)))
  }

  /// Sorts the elements of an array in ascending order. The result is a `StateSource` if this source is one.
  @inlinable
  public func sorted<Element: Comparable>() -> DerivedSource<
    ElementsCursor<Cursor, some ElementsOperation<Value, PersistentArray<Element>>>
  >
  where Value == PersistentArray<Element> {
    sorted { $0 < $1 }
  }
}

/// The operation of `sorted(by:)`.
@usableFromInline
struct SortedElements<Element: Sendable>: EditingOperation {
  @usableFromInline typealias Input = PersistentArray<Element>
  @usableFromInline var input: Input = []
  @usableFromInline var order: SortedList<Element>
  // The number that each element of the input has in `order`.
  @usableFromInline var numbers = ListTree<SortedList<Element>.Number>()

  @inlinable
  init(_ areInIncreasingOrder: @escaping @Sendable (Element, Element) -> Bool) {
    order = SortedList(areInIncreasingOrder)
  }

  /// The current elements in order.
  @inlinable
  var output: PersistentArray<Element> { order.elements }

  @inlinable
  mutating func fill(with input: Input) -> Bool? {
    numbers = ListTree(order.fill(with: Array(input)))
    return !input.isEmpty
  }

  @inlinable
  mutating func apply(_ edit: ArrayEdit<Element>) -> Bool {
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
      return false
    }
    return true
  }
}

/// A sorted list. Each element has a number: if neither of two elements is before the other, the element with the lower
/// number is first.
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

  /// Sorts the elements of `all` in bulk into this list, which must be empty. Returns the numbers of the elements, in
  /// the order of `all`.
  @inlinable
  mutating func fill(with all: [Element]) -> [Number] {
    let new = all.indices.map { Number(lastNumber + 1 + $0) }
    lastNumber += all.count
    // The sort is stable: if neither of two elements is before the other, the element with the lower number stays
    // first.
    let sorted = all.indices.sorted { areInIncreasingOrder(all[$0], all[$1]) }
    numbers = ListTree(sorted.lazy.map { new[$0] })
    elements = PersistentArray(sorted.lazy.map { all[$0] })
    return new
  }

  /// Inserts an element, and returns its number. If `number` is nil, the element gets the next number.
  @inlinable
  @discardableResult
  mutating func insert(_ element: Element, _ number: Int? = nil) -> Int {
    if number == nil { lastNumber += 1 }
    let number = number ?? lastNumber
    let index = index(of: element, number)
    numbers.insert(Number(number), at: index)
    elements.insert(element, at: index)
    return number
  }

  @inlinable
  mutating func remove(_ element: Element, _ number: Int) {
    var index = index(of: element, number)
    if index == elements.count || numbers[index].value != number {
      // The predicate is not a strict weak order of all elements, or its results have changed, so the binary search has
      // missed the element. Searches by number instead.
      index = numbers.enumerated().first { $1.value == number }?.offset ?? index
    }
    _ = numbers.remove(at: index)
    elements.remove(at: index)
  }

  // Returns the index of an element: all elements at lower indices are before this element.
  @inlinable
  func index(of element: Element, _ number: Int) -> Int {
    var (low, high) = (0, elements.count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(middle, element, number) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  @inlinable
  func isBefore(_ index: Int, _ element: Element, _ number: Int) -> Bool {
    let other = elements[index]
    if areInIncreasingOrder(other, element) { return true }
    if areInIncreasingOrder(element, other) { return false }
    return numbers[index].value < number
  }
}
