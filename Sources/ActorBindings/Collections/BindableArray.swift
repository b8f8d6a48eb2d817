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

  /// The element at `index`. The process ends if there is none, as with `Array`.
  ///
  /// If others write, the array may be shorter by now than `count` said: take `value` once, and ask that for both.
  @inlinable
  public nonisolated subscript(index: Int) -> Element { cell.locked { state, _ in state.value[index] } }
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
    cell.edit { list in
      for element in elements { list.append(element) }
    }
  }

  /// Inserts an element before the one at `index`, or at the end.
  @inlinable
  public nonisolated func insert(_ element: Element, at index: Int) {
    cell.edit { $0.insert(element, at: index) }
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

  /// Makes `elements` the current elements. They are told apart by their IDs, so whoever follows is told of moves too.
  ///
  /// One that equals the one with its ID is kept, and moved if it is elsewhere now. One that does not equal it is new: it
  /// is told as an update if it is still between the same neighbours, otherwise as a removal and an insertion.
  @inlinable
  public nonisolated func send<ID: Hashable>(
    _ elements: some Sequence<Element>,
    id: KeyPath<Element, ID>
  ) where Element: Equatable {
    let elements = ContiguousArray(elements)
    modify { $0.replaceAll(with: elements, id: id) }
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
