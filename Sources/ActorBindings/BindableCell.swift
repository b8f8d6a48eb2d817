/// A cell of any kind: a `BindableActor`, or the cell of a collection.
///
/// Only types of the library conform to this protocol.
public protocol BindableCell<Value>: Actor, StateSource where Cursor == CellCursor<Value> {}

// MARK: - Reading

extension BindableCell {
  /// The current value. Once a write has returned, every reader reads the written value or a newer value.
  @inlinable
  public nonisolated var value: Value {
    get { cursor.cell.value }
    @available(*, unavailable, message: "use send(_:); if the new value depends on the old one, modify(_:)")
    set { cursor.cell.send(newValue) }
  }

  /// The number of updates.
  public nonisolated var version: UInt64 { cursor.cell.version }

  /// The number of readers that have not ended: observations, iterators, and streams that no loop iterates yet. A
  /// stream with the backlog `.latest` does not count.
  ///
  /// A reader of a combination counts for each cell of the combination. An observation whose owner has died counts
  /// until its context notices the death.
  public nonisolated var observerCount: Int { cursor.cell.readerCount }

  /// Whether the cell has ended, by `finish()` or by its deallocation.
  public nonisolated var isFinished: Bool { cursor.cell.isFinished }

  /// A source of the same values, without the right to write. The source does not keep the cell alive: its readers end
  /// with the cell.
  ///
  /// ```swift
  /// final class Connection: Sendable {
  ///   private let current = BindableActor(Phase.connecting)
  ///   var phase: some StateSource<Phase> { current.readOnly }
  /// }
  /// ```
  ///
  /// In this example the connection holds the cell. If nothing holds the cell, let the source keep it:
  /// `current.readOnly.keeping(current)`.
  @inlinable
  public nonisolated var readOnly: some StateSource<Value> { DerivedSource(cursor) }
}

// MARK: - Writing

extension BindableCell {
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
    try cursor.cell.modify(body)
  }

  /// Ends the cell. Idempotent.
  ///
  /// Readers receive what they have not seen yet, and then end. The cell ignores later writes, and `value` stays. The
  /// deallocation of the cell has the same effect.
  public nonisolated func finish() {
    cursor.cell.finish()
  }

  /// Waits until each observation has ended, or has handled everything that was published before the call. Cancelling
  /// the task ends the wait.
  ///
  /// This does not wait for streams: a loop shows that it is done with a value only when it asks for the next value. If
  /// the cell follows a source, as `BindableActor(of:)` does, this first waits until everything that was published
  /// there before the call has reached the cell. It does not wait for the readers of cells that follow this cell: see
  /// `settled()` of ``BindingSource``.
  public nonisolated func settled() async {
    await cursor.cell.settled()
  }

  /// Changes the current value as `modify` does, and calls the observers on the cell's own isolation (`on: .cell`)
  /// before it returns.
  ///
  /// - Parameter body: A function that changes a copy of the value. It runs again if another writer changes the cell
  ///   meanwhile.
  /// - Returns: The result of the run of `body` whose change was published.
  @inlinable
  @discardableResult
  public func update<R: Sendable, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
    let cell = cursor.cell
    let lane = cell.holdHostLane()
    // If there was no lane, the first observer on this isolation may have begun since then. Then there is a lane now.
    defer { (lane ?? cell.holdHostLane())?.runTurnOnCaller() }
    return try cell.modify(body)
  }
}
