public import ActorBindings

/// A cell whose value lives in a store: all processes that use the store read and follow the same value.
///
/// ```swift
/// let flags = SharedCell("config/flags", in: store, initially: Flags())
///
/// // Follows the store until the task is cancelled:
/// async let _ = flags.run()
/// // All operators, observers and streams of a local cell:
/// for await limit in flags.map(\.limit).values { … }
/// // Changes the value for all processes:
/// try await flags.modify { $0.limit = 8 }
/// ```
///
/// The cell holds `initially` until `run` has loaded the value, and while the store has no entry for the key. It changes
/// only by what the store has sent or acknowledged. While the store cannot be reached, the cell keeps its value, and
/// `link` says so.
public final class SharedCell<Value: Sendable>: StateSource {
  /// The key of the entry in the store.
  public let key: String
  @usableFromInline
  let local: BindableActor<Value>
  private let initially: Value
  private let started = DisposeBag()
  let entries: SharedEntries<Value>

  /// Creates a cell that holds `initially`. It does nothing until `run`, `start` or `modify` is called.
  ///
  /// - Parameters:
  ///   - key: The key of the entry. The cells of one folder share one connection: `config/flags` and `config/limits`
  ///     are both in the folder `config/`.
  ///   - store: The store.
  ///   - initially: The value while there is no entry.
  ///   - codec: Turns values into bytes, and back.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  public init(
    _ key: String,
    in store: some SharedStore,
    initially: Value,
    codec: StoreCodec<Value>,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    let local = BindableActor(initially, fileID: fileID, line: line)
    self.key = key
    self.local = local
    self.initially = initially
    entries = SharedEntries(
      StoreScope(containing: key),
      onlyKey: key,
      in: store,
      codec: codec,
      fileID: fileID,
      line: line
    ) { values in
      guard let last = values.last else { return }
      let new = last.value?.value(as: Value.self) ?? initially
      if !areEqual(local.value, new) { local.send(new) }
    }
  }

  /// Creates a cell that holds `initially`, and whose entry is JSON.
  ///
  /// - Parameters:
  ///   - key: The key of the entry.
  ///   - store: The store.
  ///   - initially: The value while there is no entry.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  public convenience init(
    _ key: String,
    in store: some SharedStore,
    initially: Value,
    fileID: StaticString = #fileID,
    line: UInt = #line
  )
  where Value: Codable {
    self.init(key, in: store, initially: initially, codec: .json, fileID: fileID, line: line)
  }

  /// A cursor that does not read yet.
  public var cursor: CellCursor<Value> { local.cursor }

  // Inlinable, as the value of a local cell is: otherwise a read takes a third longer.
  /// The value, as this process knows it.
  @inlinable public var value: Value { local.value }

  /// What the cell knows of its connection to the store.
  public var link: some StateSource<SharedLink> { entries.link.readOnly }
}

// MARK: - Describing

extension SharedCell {
  /// Describes the readers of the cell at this moment, and what the cell keeps for them: see `diagnostics` of
  /// `BindableCell`.
  public var diagnostics: BindingDiagnostics { local.diagnostics }

  /// Gives the cell a name, which diagnostics show, and returns the cell.
  @discardableResult
  public func named(_ name: String) -> Self {
    local.named(name)
    return self
  }
}

// MARK: - Following

extension SharedCell {
  /// Follows the store until the task is cancelled.
  ///
  /// It loads the value, follows its changes, and after any trouble loads it again, for as long as it takes.
  ///
  /// - Throws: ``StoreError/refused(_:)`` if the store refuses, so that trying again does not help.
  public func run() async throws {
    try await entries.run()
  }

  /// Begins what `run` does, until the token is cancelled or the cell is deallocated. The caller need not keep
  /// the token. If the store refuses, `link` says so.
  @discardableResult
  public func start() -> BindingToken {
    let token = BindingToken(ForwardedCancellable(entries.start()))
    token.store(in: started)
    return token
  }

  /// Waits until the first load has come. The cell must run.
  ///
  /// - Throws: ``StoreError/refused(_:)`` if the store refuses, or `CancellationError` if the task is cancelled.
  public func ready() async throws {
    try await entries.ready()
  }
}

// MARK: - Writing

extension SharedCell {
  /// Changes the value for all processes, atomically. When this returns, the store has acknowledged the change, and the
  /// cell holds the new value or a newer one.
  ///
  /// ```swift
  /// let ticket = try await tickets.modify { tickets in tickets.popLast() }
  /// ```
  ///
  /// While the store cannot be reached, this waits, and tries again until the task is cancelled. The change is applied
  /// once at most, even if the store's acknowledgement is lost. There is one exception: a change that creates the entry
  /// may be applied again if its acknowledgement was lost, and another process removes the entry. The cell need not run.
  ///
  /// - Parameter body: A function that changes a copy of the value, on the caller's isolation. If another process writes
  ///   the entry meanwhile, the function runs again on the newer value, so it should have no side effects. If it throws,
  ///   nothing changes.
  /// - Returns: The result of the run of `body` whose change the store has applied.
  /// - Throws: The error of `body`; ``StoreError/refused(_:)`` if the store refuses; ``StoreError/uncertain(_:)`` if an
  ///   acknowledgement was lost, and the entry no longer tells whether the change was applied: it was removed since, over
  ///   16 other writes followed, or another tool has written it;
  ///   `CancellationError` if the task is cancelled, and then the change may have been applied.
  @discardableResult
  public nonisolated(nonsending) func modify<R: Sendable>(
    _ body: (inout Value) throws -> R
  ) async throws -> R {
    try await entries.modify(key) { [initially] value in
      var new = value ?? initially
      let result = try body(&new)
      value = new
      return result
    }
  }

  /// Removes the entry for all processes. When this returns, the cell holds `initially` again, or a newer value.
  public nonisolated(nonsending) func remove() async throws {
    try await entries.remove(key)
  }
}
