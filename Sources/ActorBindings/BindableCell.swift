/// What all cells have in common, whatever they hold: a `BindableActor`, and the collections.
///
/// The types that conform are the library's own.
public protocol BindableCell<Value>: Actor, StateSource where Cursor == CellCursor<Value> {}

// MARK: - Reading

extension BindableCell {
  /// The current value. Once a write has returned, everybody reads what it wrote, or something newer.
  @inlinable
  public nonisolated var value: Value { cursor.cell.value }

  /// How many updates there have been.
  public nonisolated var version: UInt64 { cursor.cell.locked { $0.version } }

  /// The number of observations and of iterators that have not ended, and of streams that are not iterated yet, unless
  /// their backlog is `.latest`. Those of a combination count for each of its cells.
  ///
  /// An observation whose owner has died counts until its context notices.
  public nonisolated var observerCount: Int { cursor.cell.readerCount }

  /// Whether the cell has ended, by `finish()` or by the end of its life.
  public nonisolated var isFinished: Bool { cursor.cell.locked { $0.isFinished } }

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

// MARK: - Writing

extension BindableCell {
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
    try cursor.cell.modify(body)
  }

  /// Ends the cell. Readers get what they have not seen yet, and then end; later writes are ignored; `value`
  /// stays. The end of the cell's life is a finish too.
  public nonisolated func finish() {
    cursor.cell.finish()
  }

  /// Returns when every observation has handled everything that was published before the call, or has ended; or
  /// when the task is cancelled.
  ///
  /// Streams have no part in this: a loop says that it is done with a value only by asking for the next one.
  public nonisolated func settled() async {
    await cursor.cell.settled()
  }

  /// Changes the current value, atomically, as `modify` does. When this returns, the observers that live on the
  /// cell itself, by `on: .cell`, have been called.
  ///
  /// - Parameter body: Is handed a copy, and is run again when another writer gets in meanwhile.
  /// - Returns: What the run of `body` returned whose change was published.
  @inlinable
  @discardableResult
  public func update<R: Sendable, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
    let cell = cursor.cell
    let lane = cell.holdHostLane()
    // The first one may have begun to observe here since.
    defer { (lane ?? cell.holdHostLane())?.serveHost() }
    return try cell.modify(body)
  }
}
