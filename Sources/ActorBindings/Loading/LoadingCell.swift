/// Something that is loaded on demand, and what is known of it meanwhile.
///
/// ```swift
/// let profile = LoadingCell(retry: .backoff(attempts: 5)) { try await api.profile(of: user) }
///
/// let name = try await profile.load().name                // loads it, or joins who does, or has it already
/// profile.consumeLoading(by: view)                        // shows a spinner, the profile, or why there is none
/// for await state in profile.values { … }
/// ```
///
/// It is a state like any other, of ``Loading``: to be observed, bound, streamed and combined. There is one load at a time.
/// The newest request wins: `reload()` cancels a load that is under way, whose result is ignored whenever it comes, and
/// whoever waits for it gets that of the new one. A load that does not heed its cancellation holds up the next one.
public final class LoadingCell<Content: Sendable>: StateSource {
  private let loader: Loader<Content>
  // Its end is the end of the readers, and its isolation that of `on: .cell`.
  private let phases: BindableActor<LoadingPhases<Content>>

  /// A cell that has nothing loaded yet, and nothing asked for.
  ///
  /// - Parameters:
  ///   - retry: Whether a load that has failed is tried again.
  ///   - clock: On which it is waited for the next attempt.
  ///   - load: Brings the content. It is called on a task of its own, one call at a time, and should end when that task is
  ///     cancelled. It lives as long as the cell, and a load. If it asked this cell it would wait for itself.
  public init(
    retry: RetryPolicy = .never,
    clock: any Clock<Duration> = ContinuousClock(),
    _ load: @escaping @Sendable () async throws -> Content
  ) {
    phases = BindableActor(LoadingPhases())
    loader = Loader(cell: phases.cell, load: load, retry: retry, clock: clock)
  }

  deinit {
    finish()
  }

  /// What is known of it now.
  public var value: Loading<Content> { phases.value.current }

  /// A cursor that stands nowhere yet.
  public var cursor: some StateCursor<Loading<Content>> {
    MapCursor(base: phases.cursor) { $0.current }
  }

  /// What is loaded; if nothing is, or it is being loaded again, what that load brings. Who comes meanwhile waits for the
  /// same one. (For what was there last, whatever happens, read `value.content`.)
  ///
  /// A load goes on when the task of who waits for it is cancelled, for others may wait too.
  ///
  /// - Throws: What the load has thrown in the end; `CancellationError` if it, or the task, was cancelled, or the cell has
  ///   finished. What is loaded already is returned in any case.
  @discardableResult
  public func load() async throws -> Content {
    if let content = phases.value.loaded {
      await CooperativeYield.callDidNotSuspend()
      return content
    }
    return try await loader.answer(to: .load)
  }

  /// What a new load brings. One that is under way is cancelled; so where reloads always come sooner than a load is done,
  /// none ever is.
  ///
  /// - Throws: What the newest load has thrown in the end; `CancellationError` if it, or the task, was cancelled, or the
  ///   cell has finished.
  @discardableResult
  public func reload() async throws -> Content {
    return try await loader.answer(to: .reload)
  }

  /// Begins what `load()` does, and does not wait: for a handler. What comes of it is seen in the cell.
  public func beginLoading() {
    if phases.value.loaded == nil { loader.ask(for: .load) }
  }

  /// Begins what `reload()` does, and does not wait: for a handler. What comes of it is seen in the cell.
  public func beginReloading() {
    loader.ask(for: .reload)
  }

  /// Gives up the load that is under way: what was there before it is there again. Whoever waits for it is told by a
  /// `CancellationError`.
  public func cancel() {
    loader.cancel()
  }

  /// Whether it has ended.
  public var isFinished: Bool { phases.isFinished }

  /// How many observations have not ended, and how many iterators of streams have not, together.
  public var observerCount: Int { phases.observerCount }

  /// Returns when every observation has handled what was known before the call, or has ended; or when the task is
  /// cancelled.
  public func settled() async {
    await phases.settled()
  }

  /// Ends the cell: a load that is under way is given up as by `cancel()`, readers end, and what is known stays. The end of
  /// the cell's life is a finish too.
  public func finish() {
    loader.close()
    phases.finish()
  }
}
