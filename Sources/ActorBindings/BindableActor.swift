/// A cell for the state of a concurrent program. Any thread, task or actor may read and change its value, and any
/// number of observers, bindings and `for await` loops may follow the value.
///
/// ```swift
/// let config = BindableActor(Config.load())
///
/// config.send(Config.load())  // from anywhere
/// let token = config.observe(on: .queue(log)) { print($0) }  // on a queue
/// for await limit in config.map(\.limit).removeDuplicates().values { … }
/// ```
///
/// Each update has a number, and all readers see the updates in the order of these numbers. <doc:Guarantees> lists all
/// promises.
public actor BindableActor<Value: Sendable>: BindableCell {
  @usableFromInline package nonisolated let cell: Cell<Value>

  /// Creates a cell that holds `value`.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - name: The name of the cell, which diagnostics show; nil if it has none. See `named(_:)`.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  @inlinable
  public init(_ value: Value, name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line) {
    cell = Cell(value)
    cell.belongs(to: self, at: CallSite(fileID, line), name: name)
  }

  /// Creates a cell that holds `value`. This is the initializer that `values.map(BindableActor.init)` means.
  @inlinable
  @_disfavoredOverload
  public init(_ value: Value) {
    self.init(value, fileID: "BindableActor.init", line: 0)
  }

  /// Creates a cell that has no value yet: it holds nil.
  ///
  /// The operator `compactMap { $0 }` leaves out nil, so its readers begin with the first value that is not nil.
  ///
  /// - Parameters:
  ///   - name: The name of the cell, which diagnostics show; nil if it has none. See `named(_:)`.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  @inlinable
  public init(name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line)
  where Value: ExpressibleByNilLiteral {
    self.init(nil, name: name, fileID: fileID, line: line)
  }

  deinit {
    cell.ended(withDying: BindableActor.self)
  }

  /// A cursor that does not read yet.
  @inlinable
  public nonisolated var cursor: CellCursor<Value> { CellCursor(cell: cell) }
}

// Repeats members of `BindableCell`, for speed: the members of `BindableCell` go through a cursor, which costs a retain
// and a release.

extension BindableActor {
  /// The current value. Once a write has returned, every reader reads the written value or a newer value.
  @inlinable
  public nonisolated var value: Value {
    get { cell.value }
    @available(*, unavailable, message: "use send(_:); if the new value depends on the old one, modify(_:)")
    set { cell.send(newValue) }
  }

  /// Changes the current value in place, atomically.
  ///
  /// ```swift
  /// let seat = hall.modify { hall in hall.seats.popLast() }
  /// ```
  ///
  /// The cell keeps its value while `body` works on a copy. So a body that changes an `Array`, a `Dictionary` or a
  /// `Set` first copies all elements of that collection, in each call. The row `W18.append.100000` in <doc:Figures>
  /// shows the cost. Hold a large collection in a ``BindableArray`` or a ``BindableDictionary``.
  ///
  /// - Parameter body: A function that changes a copy of the value. It runs without a lock. If another writer changes
  ///   the cell meanwhile, the function runs again on the newer value, so it should have no side effects. If it throws,
  ///   the cell does not change. It must not write to this cell. After `finish()`, the copy is discarded.
  /// - Returns: The result of the run of `body` whose change was published.
  @inlinable
  @discardableResult
  public nonisolated func modify<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
    try cell.modify(body)
  }
}

// MARK: - Writing, from anywhere

extension BindableActor {
  /// Makes `value` the current value. This is an update even if `value` equals the value before.
  ///
  /// When this returns, readers read `value` or a newer value, and each context is about to call the observers that run
  /// on it. A handler of this cell may call this during a pass, which is one round of calls to the observers on the
  /// handler's context. Then these observers receive `value` after that pass. After `finish()`, this does nothing.
  @inlinable
  public nonisolated func send(_ value: Value) {
    cell.send(value)
  }

  /// Sends `value` unless the current value equals it.
  ///
  /// - Returns: Whether it has sent `value`.
  @inlinable
  @discardableResult
  public nonisolated func sendIfChanged(_ value: Value) -> Bool where Value: Equatable {
    cell.replace { $0 == value ? nil : value }
  }

  /// Makes `new` the current value if the current value equals `expected`.
  ///
  /// - Returns: Whether it has made `new` the current value.
  @inlinable
  @discardableResult
  public nonisolated func compareAndSet(_ expected: Value, _ new: Value) -> Bool where Value: Equatable {
    cell.replace { $0 == expected ? new : nil }
  }
}

// MARK: - Writing, on the actor

extension BindableActor {
  /// Makes `value` the current value, and calls the observers on the cell's own isolation (`on: .cell`) before it
  /// returns.
  ///
  /// If one of these observers calls `update` (by `assumeIsolated`), that inner call returns before the observers are
  /// called. They receive the value of the inner call after the pass that is running.
  @inlinable
  public func update(_ value: Value) {
    cell.sendHoldingHost(value)?.runTurnOnCaller()
  }
}

// MARK: - Describing

extension BindableActor: CustomStringConvertible {
  /// A description in one line, such as `BindableActor<Int>(5, version 3, 2 readers)`. It begins with the name of the
  /// cell, if the cell has one. A long value is shortened.
  public nonisolated var description: String {
    cell.description(of: "BindableActor<\(Value.self)>", showing: "\(cell.value)")
  }
}
