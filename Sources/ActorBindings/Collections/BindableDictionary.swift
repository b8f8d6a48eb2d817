/// A cell that holds a dictionary: any thread changes single keys, and its readers are told what changed, or watch one key
/// only.
///
/// ```swift
/// let prices = BindableDictionary<String, Double>()
///
/// prices.set(12.5, for: "ACME")                                       // from anywhere
/// for await price in prices[source: "ACME"].values { … }              // woken by this key alone
/// for await change in prices.changes(backlog: .latest) { rows.apply(change) }
/// ```
///
/// It is a state of `PersistentDictionary`: all that is said of cells and of sources holds for it, and
/// `Dictionary(prices.value)` is the dictionary that it holds now. More is in the article *Collections*.
public actor BindableDictionary<Key: Hashable & Sendable, Element: Sendable>: BindableCell {
  /// What it holds.
  public typealias Value = PersistentDictionary<Key, Element>

  @usableFromInline nonisolated let cell: Cell<Value>
  @usableFromInline nonisolated let watchedKeys: WatchedKeys<Key, Element>

  /// A cell that holds these entries.
  @inlinable
  public init(_ entries: PersistentDictionary<Key, Element> = [:]) {
    cell = Cell(entries)
    watchedKeys = WatchedKeys(cell)
    cell.belongs(to: self)
  }

  /// A cell that holds the entries of a dictionary.
  @inlinable
  public init(_ entries: [Key: Element]) {
    self.init(PersistentDictionary(entries))
  }

  deinit {
    cell.finish()
  }

  /// A cursor that stands nowhere yet.
  @inlinable
  public nonisolated var cursor: CellCursor<Value> { CellCursor(cell: cell) }
}

// MARK: - Reading

extension BindableDictionary {
  /// The value of `key` now; nil if it has none.
  @inlinable
  public nonisolated subscript(key: Key) -> Element? {
    get { value[key] }
    @available(
      *,
      unavailable,
      message: "another writer may get in between: use set(_:for:), removeValue(for:) or modify(_:_:)"
    )
    set { fatalError("a value of a cell was set by its key") }
  }

  /// Whether there are no entries, now. `map(\.isEmpty)` is a source of it.
  @inlinable
  public nonisolated var isEmpty: Bool { cell.locked { state, _ in state.value.isEmpty } }

  /// A state of the value of one key, which is nil while the key has none. A write to this key wakes its readers, and
  /// nothing else does.
  ///
  /// ```swift
  /// let token = sessions[source: id].observe(on: .queue(q)) { session in … }
  /// ```
  ///
  /// Each call makes a source with a cell of its own: keep it where several readers read the same key. Its versions count
  /// what is written to the key. In a combination all keys of one dictionary are read at one instant; such a combination is
  /// woken by each write of the dictionary.
  ///
  /// Each reader counts as an observer of the dictionary. `settled()` of the dictionary waits for its observations, and
  /// `update` does not.
  @inlinable
  public nonisolated subscript(source key: Key) -> DerivedSource<KeyCursor<Key, Element>> {
    DerivedSource(KeyCursor(key, watchedKeys))
  }
}

// MARK: - Writing, a key at a time

extension BindableDictionary {
  /// Makes `element` the value of `key`.
  @inlinable
  public nonisolated func set(_ element: Element, for key: Key) {
    cell.set(element, for: key)
  }

  /// Removes `key`. It is an update, though the key may not have been there.
  ///
  /// - Returns: The value that it had; nil if it had none.
  @inlinable
  @discardableResult
  public nonisolated func removeValue(for key: Key) -> Element? {
    cell.modify { $0.removeValue(forKey: key) }
  }

  /// Changes the value of `key`, atomically. It is nil if the key has none; set it to nil to remove the key.
  ///
  /// ```swift
  /// visits.modify(page) { count in count = (count ?? 0) + 1 }
  /// ```
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - body: Is handed the value, without a lock. If another writer gets in meanwhile, to this key or to another, it is
  ///     run again, so it should have no other effect. If it throws, nothing has happened.
  /// - Returns: What the run of `body` returned whose change was published.
  @inlinable
  @discardableResult
  public nonisolated func modify<R, E: Error>(
    _ key: Key,
    _ body: (inout Element?) throws(E) -> R
  ) throws(E) -> R {
    try cell.modify(key, body)
  }

  /// Removes all keys.
  @inlinable
  public nonisolated func removeAll() {
    cell.send(PersistentDictionary())
  }
}

// MARK: - Writing, as a whole

extension BindableDictionary {
  /// Removes those entries for which `shouldBeRemoved` is true: one update, though there may be none.
  ///
  /// - Parameter shouldBeRemoved: Is asked without a lock, as the body of `modify` is run; if another writer gets in
  ///   meanwhile, about all of them again.
  @inlinable
  public nonisolated func removeAll(where shouldBeRemoved: (Value.Element) throws -> Bool) rethrows {
    try modify { try $0.removeAll(where: shouldBeRemoved) }
  }

  /// Makes `entries` the current ones. If they were made of a copy of what the cell held, whoever follows is told what
  /// differs; otherwise all of them are new.
  @inlinable
  public nonisolated func send(_ entries: PersistentDictionary<Key, Element>) {
    cell.send(entries)
  }

  /// Makes `entries` the current ones. All of them are new: whoever follows is told that each key was written.
  ///
  /// If values are Equatable, those that are equal are kept, and only what differs is told.
  @inlinable
  @_disfavoredOverload
  public nonisolated func send(_ entries: [Key: Element]) {
    cell.send(PersistentDictionary(entries))
  }

  /// Makes `entries` the current ones. Those that are equal are kept: whoever follows is told what differs.
  ///
  /// It looks at all entries, those that are there and the new ones.
  @inlinable
  public nonisolated func send(_ entries: [Key: Element]) where Element: Equatable {
    cell.modify { $0.replaceAll(with: entries) }
  }

  /// Sends `entries` unless the current ones equal them: then nothing is written, and nobody is told.
  ///
  /// - Returns: Whether they were sent.
  @inlinable
  @discardableResult
  public nonisolated func sendIfChanged(_ entries: [Key: Element]) -> Bool where Element: Equatable {
    cell.replace { current in
      var new = current
      new.replaceAll(with: entries)
      return new == current ? nil : new
    }
  }

  /// Sends `entries` unless the current ones equal them: then nothing is written, and nobody is told.
  ///
  /// - Returns: Whether they were sent.
  @inlinable
  @discardableResult
  public nonisolated func sendIfChanged(_ entries: PersistentDictionary<Key, Element>) -> Bool
  where Element: Equatable {
    cell.replace { $0 == entries ? nil : entries }
  }
}

// MARK: - Writing, on the actor

extension BindableDictionary {
  /// Makes `entries` the current ones. When this returns, the observers that live on the cell itself, by `on: .cell`,
  /// have been called.
  @inlinable
  public func update(_ entries: PersistentDictionary<Key, Element>) {
    cell.sendHoldingHost(entries)?.serveHost()
  }
}
