/// A cell that holds an array: any thread may change single elements, and a reader can receive what changed.
///
/// ```swift
/// let board = BindableArray(["bread"])
///
/// board.append("milk")  // from anywhere
/// board.modify { board in  // one update, one change
///   board.remove(at: 0)
///   board.append("eggs")
/// }
/// for await change in board.changes(backlog: .latest) { rows.apply(change) }
/// ```
///
/// A `BindableArray` is a cell whose value is a `PersistentArray`. It can be observed, bound, streamed and combined
/// like any other cell. `Array(board.value)` converts the current value to a Swift array. Changing an element costs
/// about the same for any number of elements. A slow reader receives one change for all updates that it missed. See the
/// article *Collections*.
public actor BindableArray<Element: Sendable>: BindableCell {
  /// The type of the array.
  public typealias Value = PersistentArray<Element>

  @usableFromInline nonisolated let cell: Cell<Value>

  /// Creates a cell that holds these elements.
  ///
  /// - Parameters:
  ///   - elements: The elements.
  ///   - history: The number of former versions that the cell keeps for `changes(since:)`. A former version costs only
  ///     what it does not share with the others. With the default, the cell keeps none.
  ///   - name: The name of the cell, which diagnostics show; nil if it has none. See `named(_:)`.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  @inlinable
  public init(
    _ elements: some Sequence<Element>,
    history: Int = 0,
    name: String? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    cell = Cell(PersistentArray(elements))
    cell.keepPastVersions(history)
    cell.belongs(to: self, at: CallSite(fileID, line), name: name)
  }

  /// Creates a cell that holds no elements yet.
  ///
  /// - Parameters:
  ///   - history: The number of former versions that the cell keeps for `changes(since:)`.
  ///   - name: The name of the cell, which diagnostics show; nil if it has none. See `named(_:)`.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  @inlinable
  public init(
    history: Int = 0,
    name: String? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    self.init(EmptyCollection(), history: history, name: name, fileID: fileID, line: line)
  }

  deinit {
    cell.ended(withDying: BindableArray.self)
  }

  /// A new cursor, which has no position yet.
  @inlinable
  public nonisolated var cursor: CellCursor<Value> { CellCursor(cell: cell) }
}

// MARK: - Reading

extension BindableArray {
  /// The current number of elements. `countSource` is a source of this number.
  @inlinable
  public nonisolated var count: Int { cell.read { $0.count } }

  /// A `StateSource` of the number of elements. Its readers receive an update when the number changes.
  @inlinable
  public nonisolated var countSource: some StateSource<Int> {
    map(\.count).removeDuplicates()
  }

  /// Whether the array is empty now. `map(\.isEmpty)` returns a source of this property.
  @inlinable
  public nonisolated var isEmpty: Bool { count == 0 }

  /// The element at `index`. Traps if there is no such element, as with `Array`.
  ///
  /// If other writers are active, the array may be shorter than a `count` that you have read before. Read `value` once,
  /// and use this copy for both the count and the element.
  @inlinable
  public nonisolated subscript(index: Int) -> Element {
    get { cell.read { $0[index] } }
    @available(
      *,
      unavailable,
      message: "another writer may get in between: use update(_:at:) or modify(at:_:)"
    )
    set { fatalError("an element of a cell was set by its index") }
  }
}

// MARK: - Writing, an element at a time

// `edit` runs its closure under the lock of the cell. The closures in this file may run under the lock, because they
// run no user code. They move elements, and return the replaced elements, which are released after the lock. A bad
// index traps before anything has changed.

extension BindableArray {
  /// Adds an element at the end.
  @inlinable
  public nonisolated func append(_ element: Element) {
    cell.edit { $0.append(element) }
  }

  /// Adds elements at the end, in one update.
  @inlinable
  public nonisolated func append(contentsOf elements: some Sequence<Element>) {
    let elements = ContiguousArray(elements)
    // Adding many elements under the lock would make other threads wait too long.
    if elements.count > Self.mostAtOnce { return modify { $0.append(contentsOf: elements) } }
    cell.edit { list in
      for element in elements { list.append(element) }
    }
  }

  @inlinable static var mostAtOnce: Int { 32 }

  /// Inserts `element` before the element at `index`, or at the end.
  @inlinable
  public nonisolated func insert(_ element: Element, at index: Int) {
    cell.edit { $0.insert(element, at: index) }
  }

  /// Inserts `elements` before the element at `index`, or at the end, in one update.
  @inlinable
  public nonisolated func insert(contentsOf elements: some Sequence<Element>, at index: Int) {
    let elements = ContiguousArray(elements)
    if elements.count > Self.mostAtOnce { return modify { $0.insert(contentsOf: elements, at: index) } }
    cell.edit { $0.insert(contentsOf: elements, at: index) }
  }

  /// Removes the element at `index`.
  ///
  /// - Returns: The element that was at `index`.
  @inlinable
  @discardableResult
  public nonisolated func remove(at index: Int) -> Element {
    cell.edit { $0.remove(at: index) }
  }

  /// Replaces the element at `index`.
  ///
  /// - Returns: The element that was at `index`.
  @inlinable
  @discardableResult
  public nonisolated func update(_ element: Element, at index: Int) -> Element {
    cell.edit { $0.update(element, at: index) }
  }

  /// Moves the element at `source`, so that it is at `destination` afterwards. The element remains the same element.
  @inlinable
  public nonisolated func move(from source: Int, to destination: Int) {
    cell.edit { $0.move(from: source, to: destination) }
  }

  /// Removes all elements.
  @inlinable
  public nonisolated func removeAll() {
    cell.send(PersistentArray())
  }
}

extension BindableArray {
  /// Changes the element at `index` atomically. The result counts as a new element, even if it is equal to the old one.
  /// If there is no such element, the call traps before anything has changed.
  ///
  /// ```swift
  /// board.modify(at: 2) { job in job.progress += 0.1 }
  /// ```
  ///
  /// - Parameters:
  ///   - index: The index. If other writers are active, the index may belong to another element by now.
  ///   - body: Receives a copy of the element, without a lock. If another writer writes this element or another element
  ///     in the meantime, `body` runs again. So `body` should have no effect besides the change of the element. If
  ///     `body` throws, nothing changes.
  /// - Returns: The result of the run of `body` whose change was published.
  @inlinable
  @discardableResult
  public nonisolated func modify<R, E: Error>(
    at index: Int,
    _ body: (inout Element) throws(E) -> R
  ) throws(E) -> R {
    try cell.modify { list throws(E) in try body(&list[index]) }
  }
}

// MARK: - Writing, as a whole

extension BindableArray {
  /// Removes the elements for which `shouldBeRemoved` is true. The call publishes one update, even if no element is
  /// removed.
  ///
  /// - Parameter shouldBeRemoved: Runs without a lock, as the body of `modify` does. If another writer publishes in the
  ///   meantime, `shouldBeRemoved` runs again for all elements.
  @inlinable
  public nonisolated func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
    try modify { try $0.removeAll(where: shouldBeRemoved) }
  }

  /// Makes `elements` the current elements. All elements count as new: a reader of `changes` learns that each element
  /// was replaced, or receives a reset.
  ///
  /// If the elements are Equatable, the other `send` of a sequence keeps equal elements, and readers receive only the
  /// differences.
  @inlinable
  @_disfavoredOverload
  public nonisolated func send(_ elements: some Sequence<Element>) {
    cell.send(PersistentArray(elements))
  }

  /// Makes `list` the current elements. If `list` was made from a copy of the cell's value, readers receive the
  /// differences. Otherwise all elements count as new.
  @inlinable
  public nonisolated func send(_ list: PersistentArray<Element>) {
    cell.send(list)
  }

  /// Makes `elements` the current elements. The cell keeps current elements that equal new elements in the same order,
  /// so readers receive only the differences.
  ///
  /// The call looks at all current elements and all new elements.
  @inlinable
  public nonisolated func send(_ elements: some Sequence<Element>) where Element: Equatable {
    let elements = ContiguousArray(elements)
    modify { $0.replaceAll(with: elements) }
  }

  /// Sends `elements` if they differ from the current elements. Otherwise writes nothing, and wakes no reader.
  ///
  /// - Returns: Whether the call has sent `elements`.
  @inlinable
  @discardableResult
  public nonisolated func sendIfChanged(_ elements: some Sequence<Element>) -> Bool where Element: Equatable {
    let elements = ContiguousArray(elements)
    return cell.replace { list in
      if list.elementsEqual(elements) { return nil }
      var list = list
      list.replaceAll(with: elements)
      return list
    }
  }

  /// Makes `elements` the current elements. The IDs identify the elements, so readers also receive moves.
  ///
  /// If a new element equals the current element with the same ID, the cell keeps the current element, and moves it if
  /// its place has changed. Otherwise the new element replaces the current element. Readers receive the replacement as
  /// an update if both elements are between the same neighbours, and otherwise as a removal and an insertion. If more
  /// than 64 elements move, readers receive no moves. Instead, each of these elements is removed and inserted, or is an
  /// update of the element whose place it has taken.
  @inlinable
  public nonisolated func send<ID: Hashable>(
    _ elements: some Sequence<Element>,
    id: KeyPath<Element, ID>
  ) where Element: Equatable {
    let elements = ContiguousArray(elements)
    modify { $0.replaceAll(with: elements, id: id) }
  }

  /// Makes `elements` the current elements, as `send(_:id:)` does, for elements whose changes `==` cannot find.
  ///
  /// ```swift
  /// jobs.send(download, id: \.id) { $0.revision == $1.revision }
  /// ```
  ///
  /// For each new element whose ID a current element has, this method calls `areEquivalent` with the current element
  /// and the new element, without a lock. If `areEquivalent` returns true, the cell keeps the current element and
  /// discards the new element.
  @inlinable
  public nonisolated func send<ID: Hashable>(
    _ elements: some Sequence<Element>,
    id: KeyPath<Element, ID>,
    by areEquivalent: (Element, Element) throws -> Bool
  ) rethrows {
    let elements = ContiguousArray(elements)
    try modify { try $0.replaceAll(with: elements, id: id, by: areEquivalent) }
  }
}

// MARK: - Writing, on the actor

extension BindableArray {
  /// Makes `list` the current elements. Before this method returns, it calls the observers that run on the cell's own
  /// isolation (`on: .cell`).
  @inlinable
  public func update(_ list: PersistentArray<Element>) {
    cell.sendHoldingHost(list)?.runTurnOnCaller()
  }
}

extension BindableArray: CustomStringConvertible {
  /// A description in one line, such as `BindableArray<Int>(3 elements, version 3, 2 readers)`.
  public nonisolated var description: String {
    let content = value.count == 1 ? "1 element" : "\(value.count) elements"
    return cell.description(of: "BindableArray<\(Element.self)>", showing: content)
  }
}
