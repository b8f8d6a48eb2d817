extension BindingSource {
  /// Selects the elements of an array at some offsets. The result is a `StateSource` if this source is one.
  ///
  /// ```swift
  /// let topTen = players.sorted { $0.points > $1.points }.page(count: 10)
  /// ```
  ///
  /// The result has fewer elements if the array ends before the end of the page, and none if the array ends before its
  /// beginning. If an element before the page is inserted or removed, one element enters the page and another leaves
  /// it. The elements in between remain the same elements. A reader receives no update for a change behind the page.
  ///
  /// A change of the array costs the same for a page of any size. Reading `value` makes the whole page.
  ///
  /// - Parameters:
  ///   - offset: The offset of the first element of the page. Must not be negative.
  ///   - count: The largest number of elements of the page. Must not be negative.
  @inlinable
  public func page<Element>(
    offset: Int = 0,
    count: Int
  ) -> DerivedSource<ElementsCursor<Cursor, some ElementsOperation<Value, PersistentArray<Element>>>>
  where Value == PersistentArray<Element> {
    DerivedSource(ElementsCursor(base: cursor, PageOfElements(offset: offset, count: count)))
  }
}

/// The operation of `page(offset:count:)`.
@usableFromInline
struct PageOfElements<Element: Sendable>: ElementsOperation {
  @usableFromInline let start: Int
  @usableFromInline let end: Int
  // The array from which the operation made `storedOutput`.
  @usableFromInline var input: PersistentArray<Element> = []
  @usableFromInline var storedOutput: PersistentArray<Element> = []

  @inlinable
  init(offset: Int, count: Int) {
    precondition(offset >= 0 && count >= 0, "A page begins at \(offset), and has \(count) elements")
    start = offset
    end = offset + min(count, .max - offset)
  }

  /// The current elements of the page.
  @inlinable
  var output: PersistentArray<Element> { storedOutput }

  @inlinable
  mutating func bringUpToDate(with input: PersistentArray<Element>) -> Bool {
    if self.input.isEmpty {
      self.input = input
      storedOutput = PersistentArray(input.dropFirst(start).prefix(end - start))
      return !storedOutput.isEmpty
    }
    // An element that enters the page comes from the array as the steps so far have left it.
    var array = self.input
    self.input = input
    var hasChanged = false
    for edit in input.edits(from: array) {
      array.apply(edit)
      if apply(edit, leadingTo: array) { hasChanged = true }
    }
    return hasChanged
  }

  // Brings the page up to date with one step, which has led to `array`. Returns whether that changes the page.
  @inlinable
  mutating func apply(_ edit: ArrayEdit<Element>, leadingTo array: PersistentArray<Element>) -> Bool {
    switch edit {
    case .insert(let offset, _): return open(at: offset, of: array)
    case .remove(let offset, _): return close(at: offset, of: array)
    case .update(let offset, let element, _):
      guard start <= offset, offset < end else { return false }
      storedOutput.update(element, at: offset - start)
      return true
    case .move(let source, let destination, _): return move(from: source, to: destination, in: array)
    }
  }

  // An element was inserted: the elements from `offset` on have moved by one. One element enters the page at `offset`,
  // or at its beginning. The last element leaves a full page.
  @inlinable
  mutating func open(at offset: Int, of array: PersistentArray<Element>) -> Bool {
    let entering = max(offset, start)
    guard entering < end, entering < array.count else { return false }
    storedOutput.insert(array[entering], at: entering - start)
    if storedOutput.count > end - start { storedOutput.removeLast() }
    return true
  }

  // An element was removed: the elements behind `offset` have moved by one. One element leaves the page at `offset`, or
  // at its beginning. The element behind a full page enters it.
  @inlinable
  mutating func close(at offset: Int, of array: PersistentArray<Element>) -> Bool {
    let leaving = max(offset, start)
    guard leaving < end, leaving <= array.count else { return false }
    storedOutput.remove(at: leaving - start)
    if array.count >= end { storedOutput.append(array[end - 1]) }
    return true
  }

  // The elements between the two offsets have moved by one, towards `source`.
  @inlinable
  mutating func move(from source: Int, to destination: Int, in array: PersistentArray<Element>) -> Bool {
    let page = start..<end
    let (low, high) = (min(source, destination), max(source, destination))
    // The elements of the page that change their offset.
    let moved = page.clamped(to: low..<high + 1)
    guard !moved.isEmpty, source != destination else { return false }
    let first = moved.lowerBound - start
    let last = moved.upperBound - 1 - start
    if page.contains(source), page.contains(destination) {
      storedOutput.move(from: source - start, to: destination - start)
    } else if source < destination {
      storedOutput.remove(at: first)
      storedOutput.insert(array[last + start], at: last)
    } else {
      storedOutput.remove(at: last)
      storedOutput.insert(array[first + start], at: first)
    }
    return true
  }
}
