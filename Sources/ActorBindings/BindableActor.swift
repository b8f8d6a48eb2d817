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
public actor BindableActor<Value: Sendable>: StateSource {
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

// MARK: - Reading

extension BindableActor {
  /// The current value. Once a write has returned, everybody reads what it wrote, or something newer.
  @inlinable
  public nonisolated var value: Value { cell.value }

  /// How many updates there have been.
  public nonisolated var version: UInt64 { cell.locked { $0.version } }

  /// How many observations have not ended, and how many iterators of streams have not, together. Those of a
  /// combination count for each of its cells.
  ///
  /// An observation whose owner has died counts until its context notices.
  public nonisolated var observerCount: Int { cell.readerCount }

  /// Whether the cell has ended, by `finish()` or by the end of its life.
  public nonisolated var isFinished: Bool { cell.locked { $0.isFinished } }
}

extension BindableActor {
  /// The same values, to be handed out without the right to write.
  ///
  /// ```swift
  /// final class Connection: Sendable {
  ///   private let current = BindableActor(Phase.connecting)
  ///   var phase: some StateSource<Phase> { current.readOnly }
  /// }
  /// ```
  ///
  /// It does not keep the cell alive: its readers end with the cell.
  @inlinable
  public nonisolated var readOnly: DerivedSource<CellCursor<Value>> { DerivedSource(cursor) }
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

  /// Ends the cell. Readers get what they have not seen yet, and then end; later writes are ignored; `value`
  /// stays. The end of the cell's life is a finish too.
  public nonisolated func finish() {
    cell.finish()
  }

  /// Returns when every observation has handled everything that was published before the call, or has ended; or
  /// when the task is cancelled.
  ///
  /// Streams have no part in this: a loop says that it is done with a value only by asking for the next one.
  public nonisolated func settled() async {
    await cell.settled()
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

  /// Changes the current value, atomically, as `modify` does. When this returns, the observers that live on the
  /// cell itself, by `on: .cell`, have been called.
  ///
  /// - Parameter body: Is handed a copy, and is run again when another writer gets in meanwhile.
  /// - Returns: What the run of `body` returned whose change was published.
  @inlinable
  @discardableResult
  public func update<R: Sendable, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
    let lane = cell.holdHostLane()
    // The first one may have begun to observe here since.
    defer { (lane ?? cell.holdHostLane())?.serveHost() }
    return try cell.modify(body)
  }
}
