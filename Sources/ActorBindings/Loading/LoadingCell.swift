/// A cell that loads its content on demand, and shows the state of the load.
///
/// ```swift
/// let profile = LoadingCell(retry: .backoff(attempts: 5)) {
///   try await api.profile(of: user)
/// }
///
/// // Loads it, joins a load under way, or has it already:
/// let name = try await profile.load().name
/// // Shows a spinner, the profile, or why there is none:
/// profile.consumeLoading(by: view)
/// for await state in profile.values { … }
/// ```
///
/// It can be observed, bound, streamed and combined like any other cell. Its values have the type ``LoadingPhase``.
///
/// There is one load at a time. The newest request wins: `reload()` cancels a load that is under way. The cell ignores
/// the result of the cancelled load. Callers that wait for the cancelled load receive the result of the new load. A
/// load that does not end when it is cancelled delays the next load.
public final class LoadingCell<Content: Sendable>: StateSource {
  let loader: Loader<Content>
  // The cell that the readers read. The readers end when this cell ends, and observers with `on: .cell` run on its
  // isolation.
  let phases: BindableActor<LoadingPhases<Content>>

  /// Creates a cell that is idle until the first request.
  ///
  /// - Parameters:
  ///   - retry: Whether and when to try a failed load again.
  ///   - clock: The clock that times the delay before the next attempt.
  ///   - name: The name of the cell, which diagnostics show; nil if it has none. See `named(_:)`.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  ///   - load: Loads the content. The function runs on a task of its own, one call at a time, and should end when that
  ///     task is cancelled. It lives until the cell is deallocated and no load is under way. It must not ask this cell
  ///     for the content. If it called `load()`, it would wait for itself. If it called `reload()`, it would cancel its
  ///     own load and start another, which would do the same, without end.
  public init(
    retry: RetryPolicy = .never,
    clock: any Clock<Duration> = ContinuousClock(),
    name: String? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ load: @escaping @Sendable () async throws -> Content
  ) {
    phases = BindableActor(LoadingPhases(), name: name, fileID: fileID, line: line)
    loader = Loader(cell: phases.cell, load: load, retry: retry, clock: clock)
    phases.cell.addToRecord(loader.waitingCalls)
  }

  deinit {
    finish()
  }

  /// The current state of the content.
  public var value: LoadingPhase<Content> { phases.value.current }

  /// A cursor that does not read yet.
  public var cursor: some StateCursor<LoadingPhase<Content>> {
    MapCursor(base: phases.cursor) { $0.current }
  }

  /// Returns the content, and loads it first if necessary.
  ///
  /// If a load is under way, this waits for that load, even if an earlier load has succeeded. All callers that come
  /// during a load share this load. To read the content that was loaded last, whatever has happened since, use
  /// `value.content`.
  ///
  /// The load continues if the task of a waiting caller is cancelled, because other callers may wait too.
  ///
  /// - Throws: The error of the last attempt; `CancellationError` if the load or the task was cancelled, or the cell
  ///   has finished. If the content is loaded already, this does not throw.
  @discardableResult
  public func load() async throws -> Content {
    if let content = phases.value.loaded {
      await CooperativeYield.callDidNotSuspend()
      return content
    }
    return try await loader.answer(to: .load)
  }

  /// Starts a new load, and returns its content.
  ///
  /// This cancels a load that is under way. So if each load is still under way at the next call of `reload()`, no load
  /// completes.
  ///
  /// - Throws: The error of the last attempt of the newest load; `CancellationError` if that load or the task was
  ///   cancelled, or the cell has finished.
  @discardableResult
  public func reload() async throws -> Content {
    return try await loader.answer(to: .reload)
  }

  /// Starts a load as `load()` does, and does not wait for it. A handler can call this. The cell shows the result.
  public func startLoading() {
    if phases.value.loaded == nil { loader.ask(for: .load) }
  }

  /// Starts a load as `reload()` does, and does not wait for it. A handler can call this. The cell shows the result.
  public func startReloading() {
    loader.ask(for: .reload)
  }

  /// Cancels the load that is under way, and restores the state before it.
  ///
  /// Callers that wait for the load receive a `CancellationError`.
  public func cancel() {
    loader.cancel()
  }

  /// Whether the cell has ended.
  public var isFinished: Bool { phases.isFinished }

  /// The number of observations and iterators that have not ended. It includes the streams that no loop iterates yet,
  /// unless their backlog is `.latest`.
  public var observerCount: Int { phases.observerCount }

  /// Waits until each observation has ended, or has handled every state that was published before the call. Cancelling
  /// the task ends the wait.
  public func settled() async {
    await phases.settled()
  }

  /// Ends the cell.
  ///
  /// Cancels a load that is under way, as `cancel()` does. Then the readers end. `value` does not change any more. The
  /// deallocation of the cell finishes it too.
  public func finish() {
    loader.close()
    phases.finish()
  }
}

extension LoadingCell: CustomStringConvertible {
  /// A description in one line, such as `LoadingCell<String>(idle, version 0, 1 reader)`.
  public var description: String {
    phases.cell.description(of: "LoadingCell<\(Content.self)>", showing: "\(value)")
  }
}
