extension BindingSource {
  /// Runs an asynchronous function for the newest value, and delivers the state of that work.
  ///
  /// ```swift
  /// let results = search.debounce(for: .milliseconds(300))
  ///   .mapLatest { try await api.search($0) }
  ///
  /// // A spinner, the results, or why there are none:
  /// results.consumeLoading(by: view)
  /// for await phase in results.values { … }
  /// ```
  ///
  /// For each value, readers see ``LoadingPhase/loading(_:)``, and then ``LoadingPhase/loaded(_:)`` or
  /// ``LoadingPhase/failed(_:last:)``. A newer value cancels the call that runs, and readers never see the result of
  /// that call. One call runs at a time: the call for the newer value begins when the cancelled call has ended. So a
  /// function that ignores the cancellation of its task delays the next call, and values that come meanwhile replace
  /// each other. A value that comes while readers see *loading* is no update for them. An error is a state like any
  /// other: the next value starts the next call.
  ///
  /// The function runs in a detached task, never on the thread of a writer and never under a lock. The same holds for
  /// cancellation handlers in it. The task has neither the task-local values nor the priority of the writer.
  ///
  /// Readers of one returned source share the work. The work begins with the first reader, with the current value of
  /// the source. Soon after the last reader has left, the function is cancelled, and the content is forgotten. A reader
  /// that begins while others read starts with the state that they see. The returned source ends when the source has
  /// ended and readers have received the result for its last value. It counts its own versions. Operators before
  /// `mapLatest` see only the newest value, as with any reader with the backlog `.latest`. `settled()` of the source
  /// waits until readers see *loading*, and not until the function returns. Each call of `mapLatest` creates a source
  /// that does its own work, so keep the source in a constant.
  ///
  /// A value costs a task, and one more task if a call must be cancelled, however many readers there are.
  ///
  /// - Parameters:
  ///   - keepsLast: Whether readers see the content of the last success while a call runs (as
  ///     ``LoadingPhase/reloading(_:_:)``), and after a call has failed. That content belongs to an older value. If
  ///     false, the content that readers see always belongs to the newest value that was read.
  ///   - transform: The function. It should end when its task is cancelled.
  @inlinable
  public func mapLatest<Content: Sendable>(
    keepingLast keepsLast: Bool = false,
    _ transform: @escaping @Sendable (Value) async throws -> Content
  ) -> some BindingSource<LoadingPhase<Content>> {
    let cursor = cursor
    return DerivedSource(
      RelayCursor("mapLatest", of: cursor.root.cell) { writer, turns in
        let mapper = LatestMapper(writer, keepingLast: keepsLast, in: turns, transform)
        mapper.reader.start(cursor, mapper, .latest, through: writer, in: turns)
      }
    )
  }
}

/// The driver of `mapLatest`. The shell around `MapLatestState`.
// @unchecked: `state` is used only in the relay's turns. The constants are Sendable.
@usableFromInline
final class LatestMapper<Value: Sendable, Content: Sendable>: RelayDriver, RelayRecipient, @unchecked Sendable
{
  // Sendable: it has its own lock.
  @usableFromInline let reader = NewestReader()
  private let writer: RelayWriter<LoadingPhase<Content>>
  private let tasks: RelayTasks
  private let transform: @Sendable (Value) async throws -> Content

  // Used only in the relay's turns, so Swift need not check for overlapping accesses.
  @exclusivity(unchecked) private var storedState: MapLatestState<Value, Content>

  private var state: MapLatestState<Value, Content> {
    _read { yield unsafe storedState }
    _modify { yield unsafe &storedState }
  }

  @usableFromInline
  init(
    _ writer: RelayWriter<LoadingPhase<Content>>,
    keepingLast keepsLast: Bool,
    in turns: RelayTurns,
    _ transform: @escaping @Sendable (Value) async throws -> Content
  ) {
    self.writer = writer
    self.transform = transform
    tasks = RelayTasks(in: turns, for: writer.cell)
    unsafe storedState = MapLatestState(keepingLast: keepsLast)
  }

  @usableFromInline
  func take(_ value: Value) -> RelayDemand {
    act(on: state.valueCame(value))
    return .next
  }

  @usableFromInline
  func caughtUp() -> RelayDemand { .next }

  @usableFromInline
  func sourceEnded() -> Bool {
    let decision = state.sourceEnded()
    act(on: decision)
    // The source may have ended because its actor died together with the owner of a reader. While the function runs, no
    // delivery notices that the owner has died.
    if case .nothing = decision.step { writer.cell.sweep() }
    return true
  }

  private func act(on decision: MapLatestState<Value, Content>.Decision) {
    if let shown = decision.shown { writer.send(shown) }
    switch decision.step {
    case .nothing: break
    case .start(let value): start(value)
    case .cancel: tasks.cancel(Self.number)
    case .finish: writer.finish()
    }
  }

  // The task holds the driver, and so the relay's cell: when the source has ended, perhaps nothing else does.
  private func start(_ value: Value) {
    let transform = transform
    tasks.start(Self.number) {
      await result { try await transform(value) }
    } ended: { result in
      self.act(on: self.state.bodyEnded(result))
    }
  }

  // One task runs at a time.
  private static var number: Int { 0 }

  @usableFromInline var currentReaders: [RelayReader] { reader.current.map { [$0] } ?? [] }

  // Called from any thread.
  @usableFromInline
  func stop() {
    reader.end()
    tasks.cancelAll()
  }
}

private func result<Content>(of body: () async throws -> Content) async -> Result<Content, any Error> {
  do { return .success(try await body()) } catch { return .failure(error) }
}
