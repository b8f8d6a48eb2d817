/// The state cell of a concurrent program: it holds a value that any thread, task or actor may read and change,
/// and that any number of observers, bindings and `for await` loops follow.
///
/// ```swift
/// let config = BindableActor(Config.load())
///
/// config.send(Config.load())                                     // from anywhere
/// let token = config.observe(on: .queue(log)) { print($0) }      // wherever you like
/// for await limit in config.map(\.limit).removeDuplicates().values { … }
/// ```
///
/// Updates are numbered, and everybody sees them in that order. What is promised besides is listed in the
/// article *Guarantees*.
public actor BindableActor<Value: Sendable>: BindableCell {
  @usableFromInline package nonisolated let cell: Cell<Value>

  /// A cell that holds `value`.
  @inlinable
  public init(_ value: Value) {
    cell = Cell(value)
    cell.belongs(to: self)
  }

  /// A cell that has no value yet: it holds nil. `compactMap { $0 }` makes a source of it that begins with the
  /// first real value.
  @inlinable
  public init() where Value: ExpressibleByNilLiteral {
    self.init(nil)
  }

  deinit {
    cell.finish()
  }

  /// A cursor that stands nowhere yet.
  @inlinable
  public nonisolated var cursor: CellCursor<Value> { CellCursor(cell: cell) }
}

// What all cells have, once more: without the cursor in between, whose reference to the cell is counted.

extension BindableActor {
  /// The current value. Once a write has returned, everybody reads what it wrote, or something newer.
  @inlinable
  public nonisolated var value: Value { cell.value }

  /// Changes the current value in place, atomically.
  ///
  /// ```swift
  /// let seat = hall.modify { hall in hall.seats.popLast() }
  /// ```
  ///
  /// - Parameter body: Is handed a copy, without a lock. If another writer gets in meanwhile it is run again, on
  ///   what is current then, so it should have no other effect. If it throws, nothing has happened. It must not
  ///   write to this cell itself. After `finish()` its copy goes nowhere.
  /// - Returns: What the run of `body` returned whose change was published.
  @inlinable
  @discardableResult
  public nonisolated func modify<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
    try cell.modify(body)
  }
}

// MARK: - Writing, from anywhere

extension BindableActor {
  /// Makes `value` the current value. An equal one is an update like any other.
  ///
  /// When this returns, readers read it, and observers are about to be called where they live. Inside a handler
  /// it is delivered after the round that is running. After `finish()` it does nothing.
  @inlinable
  public nonisolated func send(_ value: Value) {
    cell.send(value)
  }

  /// Sends `value` unless the current value equals it.
  ///
  /// - Returns: Whether it was sent.
  @inlinable
  @discardableResult
  public nonisolated func sendIfChanged(_ value: Value) -> Bool where Value: Equatable {
    cell.replace { $0 == value ? nil : value }
  }

  /// Makes `new` the current value if the current value equals `expected`.
  ///
  /// - Returns: Whether it did.
  @inlinable
  @discardableResult
  public nonisolated func compareAndSet(_ expected: Value, _ new: Value) -> Bool where Value: Equatable {
    cell.replace { $0 == expected ? new : nil }
  }
}

// MARK: - Writing, on the actor

extension BindableActor {
  /// Makes `value` the current value. When this returns, the observers that live on the cell itself, by
  /// `on: .cell`, have been called.
  ///
  /// Inside one of these handlers (by `assumeIsolated`) it returns before: the round that is running goes on
  /// with it.
  @inlinable
  public func update(_ value: Value) {
    cell.sendHoldingHost(value)?.serveHost()
  }
}
