/// A cell that holds a collection: any thread changes single elements of it, and whoever follows it is told what changed.
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
/// It is a state of `PersistentArray`: all that is said of cells and of sources holds for it. To change an element costs
/// the same however many there are and however many follow; who is slow is told one change for all that he missed.
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
  /// The number of elements.
  @inlinable
  public nonisolated var count: Int { cell.locked { state, _ in state.value.count } }

  /// The element at `index`. The process ends if there is none, as with `Array`; ask `value` for both if others write.
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

  /// Moves the element at `source`, so that it is at `destination` then.
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

  /// Makes `elements` the current elements. Whoever follows is told to begin anew.
  ///
  /// Those whose elements can be compared are told what differs.
  @inlinable
  @_disfavoredOverload
  public nonisolated func send(_ elements: some Sequence<Element>) {
    cell.send(PersistentArray(elements))
  }

  /// Makes `list` the current elements. Whoever follows is told what differs, if it was made of what the cell held.
  @inlinable
  public nonisolated func send(_ list: PersistentArray<Element>) {
    cell.send(list)
  }

  /// Makes `elements` the current elements, with as few steps as it finds.
  ///
  /// Elements that are equal, in the same order, are kept.
  @inlinable
  public nonisolated func send(_ elements: some Sequence<Element>) where Element: Equatable {
    let elements = ContiguousArray(elements)
    modify { $0.replaceAll(with: elements) }
  }

  /// Makes `elements` the current elements: those with the ID of one that is there take its place, or move it if they
  /// are equal.
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
