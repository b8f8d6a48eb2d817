extension BindingSource {
  /// Transforms each value by an asynchronous function, and delivers the outputs in the order of the values.
  ///
  /// ```swift
  /// let thumbnails = uploads.asyncMap(maxConcurrent: 4) {
  ///   await thumbnail(of: $0)
  /// }
  ///
  /// for await thumbnail in thumbnails.values(backlog: .unbounded) { … }
  /// ```
  ///
  /// At most `limit` calls of the function run at a time. An output that is ready before the output of an older value
  /// waits, and keeps its place: so at most `limit` outputs wait, and one slow call holds up the calls after it. While
  /// all places are taken, the operator reads nothing: values wait in the backlog `inputBacklog`, and a write costs its
  /// writer nothing.
  ///
  /// The function runs in detached tasks, never on the thread of a writer and never under a lock. The same holds for
  /// cancellation handlers in it. The tasks have neither the task-local values nor the priority of the writers.
  ///
  /// Readers of one returned source share the work. The work begins with the first reader, with the current value of
  /// the source. Soon after the last reader has left, all calls are cancelled, and their outputs are dropped. A reader
  /// that begins while others read starts with the output that was delivered last. When the source has ended, the
  /// returned source delivers the outputs of all values in the backlog, and then ends. It counts its own versions. The
  /// `settled()` of the source does not wait for the function. Each call of `asyncMap` creates a source that does its
  /// own work, so keep the source in a constant.
  ///
  /// A value costs one task, however many readers there are. To cancel the call for an older value, use `mapLatest`.
  ///
  /// - Parameters:
  ///   - limit: The largest number of calls that run at a time, at least 1.
  ///   - inputBacklog: The number of values that may wait while all places are taken. With `.latest` the function skips
  ///     values that were replaced meanwhile.
  ///   - transform: The function. It should end when its task is cancelled.
  @inlinable
  public func asyncMap<Output: Sendable>(
    maxConcurrent limit: Int = 1,
    inputBacklog: Backlog = .unbounded,
    _ transform: @escaping @Sendable (Value) async -> Output
  ) -> some BindingSource<Output> {
    asyncMapped(limit, inputBacklog, transform)
  }

  /// Transforms each value by an asynchronous function that may throw, and delivers the results in the order of the
  /// values. An error is the result for its value, like an output: the calls for other values continue.
  ///
  /// ```swift
  /// let saved = drafts.asyncMap(inputBacklog: .latest) {
  ///   try await store.save($0)
  /// }
  /// ```
  ///
  /// In all other respects this method behaves as the one whose function does not throw.
  @inlinable
  @_disfavoredOverload
  public func asyncMap<Output: Sendable, Failure: Error>(
    maxConcurrent limit: Int = 1,
    inputBacklog: Backlog = .unbounded,
    _ transform: @escaping @Sendable (Value) async throws(Failure) -> Output
  ) -> some BindingSource<Result<Output, Failure>> {
    asyncMapped(limit, inputBacklog) { value in
      do throws(Failure) { return Result<Output, Failure>.success(try await transform(value)) } catch {
        return .failure(error)
      }
    }
  }

  @inlinable
  func asyncMapped<Output: Sendable>(
    _ limit: Int,
    _ inputBacklog: Backlog,
    _ transform: @escaping @Sendable (Value) async -> Output
  ) -> DerivedSource<RelayCursor<Output>> {
    // Not a precondition, because release builds drop the message of a precondition.
    guard limit > 0 else { fatalError("asyncMap(maxConcurrent: \(limit)): at least one call must run") }
    let cursor = cursor
    return DerivedSource(
      RelayCursor("asyncMap", of: cursor.root.cell) { writer, turns in
        let mapper = OrderedMapper(writer, limit: limit, in: turns, transform)
        mapper.reader.start(cursor, mapper, inputBacklog, through: writer, in: turns)
      }
    )
  }
}

/// The driver of `asyncMap`. The shell around `AsyncMapState`.
///
/// While all places are taken, its reader rests. If all cells of the source have ended, the reader cannot rest: then
/// the values that are left in the backlog wait in the state.
// @unchecked: `state` and `isResting` are used only in the relay's turns. The constants are Sendable.
@usableFromInline
final class OrderedMapper<Value: Sendable, Output: Sendable>: RelayDriver, RelayRecipient, @unchecked Sendable
{
  // Sendable: it has its own lock.
  @usableFromInline let reader = NewestReader()
  private let writer: RelayWriter<Output>
  private let tasks: RelayTasks
  private let transform: @Sendable (Value) async -> Output

  // Used only in the relay's turns, so Swift need not check for overlapping accesses.
  @exclusivity(unchecked) private var storedState: AsyncMapState<Value, Output>
  @exclusivity(unchecked) private var storedIsResting = false

  private var state: AsyncMapState<Value, Output> {
    _read { yield unsafe storedState }
    _modify { yield unsafe &storedState }
  }

  @usableFromInline
  init(
    _ writer: RelayWriter<Output>,
    limit: Int,
    in turns: RelayTurns,
    _ transform: @escaping @Sendable (Value) async -> Output
  ) {
    self.writer = writer
    self.transform = transform
    tasks = RelayTasks(in: turns, for: writer.cell)
    unsafe storedState = AsyncMapState(limit: limit)
  }

  @usableFromInline
  func take(_ value: Value) -> RelayDemand {
    act(on: state.valueCame(value))
    unsafe storedIsResting = state.isFull
    return unsafe storedIsResting ? .rest : .next
  }

  @usableFromInline
  func caughtUp() -> RelayDemand { .next }

  @usableFromInline
  func sourceEnded() -> Bool {
    unsafe storedIsResting = false
    let decision = state.sourceEnded()
    act(on: decision)
    // The source may have ended because its actor died together with the owner of a reader. Until the next output, no
    // delivery notices that the owner has died.
    if !decision.isOver { writer.cell.sweep() }
    return true
  }

  private func bodyEnded(_ number: Int, _ output: Output) {
    act(on: state.bodyEnded(number, output))
    guard unsafe storedIsResting, !state.isFull else { return }
    unsafe storedIsResting = false
    reader.resume()
  }

  private func act(on decision: AsyncMapState<Value, Output>.Decision) {
    for output in decision.delivered { writer.send(output) }
    for (number, value) in decision.started { start(number, value) }
    if decision.isOver { writer.finish() }
  }

  // The task holds the driver, and so the relay's cell: when the source has ended, perhaps nothing else does.
  private func start(_ number: Int, _ value: Value) {
    let transform = transform
    tasks.start(number) {
      await transform(value)
    } ended: {
      self.bodyEnded(number, $0)
    }
  }

  @usableFromInline var currentReaders: [RelayReader] { reader.current.map { [$0] } ?? [] }

  // Called from any thread.
  @usableFromInline
  func stop() {
    reader.end()
    tasks.cancelAll()
  }
}
