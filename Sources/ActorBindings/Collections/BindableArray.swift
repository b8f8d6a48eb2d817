/// A cell that holds an array: any thread changes single elements of it, and whoever follows it is told what changed.
///
/// ```swift
/// let board = BindableArray(["bread"])
///
/// board.append("milk")                                            // from anywhere
/// board.modify { board in                                         // one update, one change
///   board.remove(at: 0)
///   board.append("eggs")
/// }
/// for await change in board.changes(backlog: .latest) { rows.apply(change) }
/// ```
///
/// It is a state of `PersistentArray`: all that is said of cells and of sources holds for it, and `Array(board.value)`
/// is the array that it holds now. To change an element costs about the same however many there are; who is slow is told
/// one change for all that he missed. More is in the article *Collections*.
public actor BindableArray<Element: Sendable>: BindableCell {
  /// What it holds.
  public typealias Value = PersistentArray<Element>

  @usableFromInline nonisolated let cell: Cell<Value>

  /// A cell that holds these elements.
  @inlinable
  public init(_ elements: some Sequence<Element>) {
    cell = Cell(PersistentArray(elements))
    cell.belongs(to: self)
  }

  /// A cell that holds no elements yet.
  @inlinable
  public init() {
    self.init(EmptyCollection())
  }

  deinit {
    cell.finish()
  }

  /// A cursor that stands nowhere yet.
  @inlinable
  public nonisolated var cursor: CellCursor<Value> { CellCursor(cell: cell) }
}

// MARK: - Reading

extension BindableArray {
  /// The number of elements, now. `map(\.count)` is a source of it.
  @inlinable
  public nonisolated var count: Int { cell.locked { state, _ in state.value.count } }

  /// Whether there are no elements, now. `map(\.isEmpty)` is a source of it.
  @inlinable
  public nonisolated var isEmpty: Bool { count == 0 }

  /// The element at `index`. The process ends if there is none, as with `Array`.
  ///
  /// If others write, the array may be shorter by now than `count` said: take `value` once, and ask that for both.
  @inlinable
  public nonisolated subscript(index: Int) -> Element {
    get { cell.locked { state, _ in state.value[index] } }
    @available(
      *,
      unavailable,
      message: "another writer may get in between: use update(_:at:) or modify(at:_:)"
    )
    set { fatalError("an element of a cell was set by its index") }
  }
}

// MARK: - Writing, an element at a time

// Each runs under the lock of the cell, for it runs nobody's code: elements are moved, and what was there before is handed
// out. A bad index ends the process before anything has changed.

extension BindableArray {
  /// Adds an element at the end.
  @inlinable
  public nonisolated func append(_ element: Element) {
    cell.edit { $0.append(element) }
  }

  /// Adds elements at the end: one update.
  @inlinable
  public nonisolated func append(contentsOf elements: some Sequence<Element>) {
    let elements = ContiguousArray(elements)
    // Many would keep everybody else waiting for the lock.
    if elements.count > Self.mostAtOnce { return modify { $0.append(contentsOf: elements) } }
    cell.edit { list in
      for element in elements { list.append(element) }
    }
  }

  @inlinable static var mostAtOnce: Int { 32 }

  /// Inserts an element before the one at `index`, or at the end.
  @inlinable
  public nonisolated func insert(_ element: Element, at index: Int) {
    cell.edit { $0.insert(element, at: index) }
  }

  /// Inserts elements before the one at `index`, or at the end: one update.
  @inlinable
  public nonisolated func insert(contentsOf elements: some Sequence<Element>, at index: Int) {
    let elements = ContiguousArray(elements)
    if elements.count > Self.mostAtOnce { return modify { $0.insert(contentsOf: elements, at: index) } }
    cell.edit { $0.insert(contentsOf: elements, at: index) }
  }

  /// Removes the element at `index`.
  ///
  /// - Returns: What was there.
  @inlinable
  @discardableResult
  public nonisolated func remove(at index: Int) -> Element {
    cell.edit { $0.remove(at: index) }
  }

  /// Replaces the element at `index`.
  ///
  /// - Returns: What was there.
  @inlinable
  @discardableResult
  public nonisolated func update(_ element: Element, at index: Int) -> Element {
    cell.edit { $0.update(element, at: index) }
  }

  /// Moves the element at `source`, so that it is at `destination` then. It stays the one that it was.
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
  /// Changes the element at `index`, atomically. It is another one then, though it may be equal. The process ends if
  /// there is none, before anything has changed.
  ///
  /// ```swift
  /// board.modify(at: 2) { job in job.progress += 0.1 }
  /// ```
  ///
  /// - Parameters:
  ///   - index: The index, which may be another element's by now if others write.
  ///   - body: Is handed a copy of the element, without a lock. If another writer gets in meanwhile, to this element or to
  ///     another, it is run again, so it should have no other effect. If it throws, nothing has happened.
  /// - Returns: What the run of `body` returned whose change was published.
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
  /// Removes those elements for which `shouldBeRemoved` is true: one update, though there may be none.
  ///
  /// - Parameter shouldBeRemoved: Is asked without a lock, as the body of `modify` is run; if another writer gets in
  ///   meanwhile, about all of them again.
  @inlinable
  public nonisolated func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
    try modify { try $0.removeAll(where: shouldBeRemoved) }
  }

  /// Makes `elements` the current elements. All of them are new: whoever follows is told that each was replaced, or to
  /// begin anew.
  ///
  /// If elements are Equatable, those that are equal are kept, and only what differs is told.
  @inlinable
  @_disfavoredOverload
  public nonisolated func send(_ elements: some Sequence<Element>) {
    cell.send(PersistentArray(elements))
  }

  /// Makes `list` the current elements. If it was made of a copy of what the cell held, whoever follows is told what
  /// differs; otherwise all of them are new.
  @inlinable
  public nonisolated func send(_ list: PersistentArray<Element>) {
    cell.send(list)
  }

  /// Makes `elements` the current elements. Those that are equal, in the same order, are kept: whoever follows is told
  /// what differs.
  ///
  /// It looks at all elements, those that are there and the new ones.
  @inlinable
  public nonisolated func send(_ elements: some Sequence<Element>) where Element: Equatable {
    let elements = ContiguousArray(elements)
    modify { $0.replaceAll(with: elements) }
  }

  /// Sends `elements` unless the current elements equal them: then nothing is written, and nobody is told.
  ///
  /// - Returns: Whether they were sent.
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

  /// Makes `elements` the current elements. They are told apart by their IDs, so whoever follows is told of moves too.
  ///
  /// One that equals the one with its ID is kept, and moved if it is elsewhere now. One that does not equal it is new: it
  /// is told as an update if it is still between the same neighbours, otherwise as a removal and an insertion. So are
  /// all that are moved, if there are more than 64.
  @inlinable
  public nonisolated func send<ID: Hashable>(
    _ elements: some Sequence<Element>,
    id: KeyPath<Element, ID>
  ) where Element: Equatable {
    let elements = ContiguousArray(elements)
    modify { $0.replaceAll(with: elements, id: id) }
  }

  /// Makes `elements` the current elements, as `send(_:id:)` does, where `==` cannot say which of them have changed.
  ///
  /// ```swift
  /// jobs.send(download, id: \.id) { $0.revision == $1.revision }
  /// ```
  ///
  /// Without a lock `areEquivalent` is asked about each element whose ID was there before: if the one that was there and
  /// the new one are the same. Then the one that was there is kept, and the new one goes nowhere.
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
  /// Makes `list` the current elements. When this returns, the observers that live on the cell itself, by `on: .cell`,
  /// have been called.
  @inlinable
  public func update(_ list: PersistentArray<Element>) {
    cell.sendHoldingHost(list)?.serveHost()
  }
}
