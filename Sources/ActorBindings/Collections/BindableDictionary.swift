/// A cell that holds a dictionary. Any thread may change the value of one key. A reader can receive what changed, or
/// watch one key.
///
/// ```swift
/// let prices = BindableDictionary<String, Double>()
///
/// prices.set(12.5, forKey: "ACME")  // from anywhere
/// // Woken only by this key:
/// for await price in prices.source(forKey: "ACME").values { … }
/// for await change in prices.changes(backlog: .latest) {
///   rows.apply(change)
/// }
/// ```
///
/// A `BindableDictionary` is a cell whose value is a `PersistentDictionary`. It can be observed, bound, streamed and
/// combined like any other cell. `Dictionary(prices.value)` converts the current value to a Swift dictionary. See the
/// article *Collections*.
public actor BindableDictionary<Key: Hashable & Sendable, Element: Sendable>: BindableCell {
  /// The type of the dictionary.
  public typealias Value = PersistentDictionary<Key, Element>

  @usableFromInline nonisolated let cell: Cell<Value>
  @usableFromInline nonisolated let watchedKeys: WatchedKeys<Key, Element>

  /// Creates a cell that holds these entries.
  ///
  /// - Parameters:
  ///   - entries: The entries.
  ///   - history: The number of former versions that the cell keeps for `changes(since:)`. A former version costs only
  ///     what it does not share with the others. With the default, the cell keeps none.
  ///   - name: The name of the cell, which diagnostics show; nil if it has none. See `named(_:)`.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  @inlinable
  public init(
    _ entries: PersistentDictionary<Key, Element> = [:],
    history: Int = 0,
    name: String? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    cell = Cell(entries)
    cell.keepPastVersions(history)
    watchedKeys = WatchedKeys(cell)
    cell.belongs(to: self, at: CallSite(fileID, line), name: name)
  }

  /// Creates a cell that holds the entries of a dictionary.
  ///
  /// - Parameters:
  ///   - entries: The entries.
  ///   - history: The number of former versions that the cell keeps for `changes(since:)`.
  ///   - name: The name of the cell, which diagnostics show; nil if it has none. See `named(_:)`.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  @inlinable
  public init(
    _ entries: [Key: Element],
    history: Int = 0,
    name: String? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    self.init(PersistentDictionary(entries), history: history, name: name, fileID: fileID, line: line)
  }

  deinit {
    cell.ended(withDying: BindableDictionary.self)
  }

  /// A new cursor, which has no position yet.
  @inlinable
  public nonisolated var cursor: CellCursor<Value> { CellCursor(cell: cell) }
}

// MARK: - Reading

extension BindableDictionary {
  /// The current value of `key`; nil if the key has no value.
  @inlinable
  public nonisolated subscript(key: Key) -> Element? {
    get { value[key] }
    @available(
      *,
      unavailable,
      message:
        "another writer may get in between: use set(_:forKey:), removeValue(forKey:) or modify(forKey:_:)"
    )
    set { fatalError("a value of a cell was set by its key") }
  }

  /// The current number of entries. `countSource` is a source of this number.
  @inlinable
  public nonisolated var count: Int { cell.read { $0.count } }

  /// Whether the dictionary is empty now. `map(\.isEmpty)` returns a source of this property.
  @inlinable
  public nonisolated var isEmpty: Bool { cell.read { $0.isEmpty } }

  /// Returns a source of the value of one key. The source's value is nil while the key has no value. Only a write to
  /// this key wakes the readers of the source.
  ///
  /// ```swift
  /// let session = sessions.source(forKey: id)
  /// let token = session.observe(on: .queue(log)) { session in … }
  /// ```
  ///
  /// Each call creates a source with a cell of its own. For several readers of one key, keep one source, and let the
  /// readers share this source. A combination reads all keys of one dictionary at one instant, and each write to the
  /// dictionary wakes the combination.
  ///
  /// The versions of the source count what the source has shown to its readers, and so does `skipped`. If all readers
  /// have the backlog `.latest` and are busy, several writes to the key count as one. If a reader has another backlog,
  /// each write counts.
  ///
  /// Each reader counts as an observer of the dictionary. `settled()` of the dictionary waits for the observations of
  /// this source. `update` does not wait for these observations.
  @inlinable
  public nonisolated func source(forKey key: Key) -> some StateSource<Element?> {
    DerivedSource(KeyCursor(key, watchedKeys))
  }
}

// MARK: - Writing, a key at a time

extension BindableDictionary {
  /// Makes `element` the value of `key`.
  @inlinable
  public nonisolated func set(_ element: Element, forKey key: Key) {
    cell.set(element, forKey: key)
  }

  /// Removes `key`. The call publishes an update even if the dictionary does not have the key.
  ///
  /// - Returns: The value that the key had; nil if the key had no value.
  @inlinable
  @discardableResult
  public nonisolated func removeValue(forKey key: Key) -> Element? {
    cell.modify { $0.removeValue(forKey: key) }
  }

  /// Changes the value of `key` atomically. `body` receives nil if the key has no value. To remove the key, set the
  /// value to nil.
  ///
  /// ```swift
  /// visits.modify(forKey: page) { count in count = (count ?? 0) + 1 }
  /// ```
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - body: Changes the value, and runs without a lock. If another writer writes this key or another key in the
  ///     meantime, `body` may run again. So `body` should have no effect besides the change of the value. If `body`
  ///     throws, nothing changes.
  /// - Returns: The result of the run of `body` whose change was published.
  @inlinable
  @discardableResult
  public nonisolated func modify<R, E: Error>(
    forKey key: Key,
    _ body: (inout Element?) throws(E) -> R
  ) throws(E) -> R {
    try cell.modify(forKey: key, body)
  }

  /// Removes all keys.
  @inlinable
  public nonisolated func removeAll() {
    cell.send(PersistentDictionary())
  }
}

// MARK: - Writing, as a whole

extension BindableDictionary {
  /// Removes the entries for which `shouldBeRemoved` is true. The call publishes one update, even if no entry is
  /// removed.
  ///
  /// - Parameter shouldBeRemoved: Runs without a lock, as the body of `modify` does. If another writer publishes in the
  ///   meantime, `shouldBeRemoved` runs again for all entries.
  @inlinable
  public nonisolated func removeAll(where shouldBeRemoved: (Value.Element) throws -> Bool) rethrows {
    try modify { try $0.removeAll(where: shouldBeRemoved) }
  }

  /// Makes `entries` the current entries. If `entries` was made from a copy of the cell's value, readers receive the
  /// differences. Otherwise all entries count as new.
  @inlinable
  public nonisolated func send(_ entries: PersistentDictionary<Key, Element>) {
    cell.send(entries)
  }

  /// Makes `entries` the current entries. All entries count as new, so readers learn that each key was written.
  ///
  /// If the values are Equatable, the other `send` of a Swift dictionary keeps equal entries, and readers receive only
  /// the differences.
  @inlinable
  @_disfavoredOverload
  public nonisolated func send(_ entries: [Key: Element]) {
    cell.send(PersistentDictionary(entries))
  }

  /// Makes `entries` the current entries. Keeps current entries that equal new entries, so readers receive only the
  /// differences.
  ///
  /// The call looks at all current entries and all new entries.
  @inlinable
  public nonisolated func send(_ entries: [Key: Element]) where Element: Equatable {
    cell.modify { $0.replaceAll(with: entries) }
  }

  /// Sends `entries` if they differ from the current entries. Otherwise writes nothing, and wakes no reader.
  ///
  /// - Returns: Whether the call has sent `entries`.
  @inlinable
  @discardableResult
  public nonisolated func sendIfChanged(_ entries: [Key: Element]) -> Bool where Element: Equatable {
    cell.replace { current in
      var new = current
      new.replaceAll(with: entries)
      return new == current ? nil : new
    }
  }

  /// Sends `entries` if they differ from the current entries. Otherwise writes nothing, and wakes no reader.
  ///
  /// - Returns: Whether the call has sent `entries`.
  @inlinable
  @discardableResult
  public nonisolated func sendIfChanged(_ entries: PersistentDictionary<Key, Element>) -> Bool
  where Element: Equatable {
    cell.replace { $0 == entries ? nil : entries }
  }
}

// MARK: - Writing, on the actor

extension BindableDictionary {
  /// Makes `entries` the current entries. Before this method returns, it calls the observers that run on the cell's own
  /// isolation (`on: .cell`).
  @inlinable
  public func update(_ entries: PersistentDictionary<Key, Element>) {
    cell.sendHoldingHost(entries)?.runTurnOnCaller()
  }
}

extension BindableDictionary: CustomStringConvertible {
  /// A description in one line, such as `BindableDictionary<String, Int>(3 entries, version 3, 2 readers)`.
  public nonisolated var description: String {
    let content = value.count == 1 ? "1 entry" : "\(value.count) entries"
    return cell.description(of: "BindableDictionary<\(Key.self), \(Element.self)>", showing: content)
  }
}
