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
  private let state: BindableActor<LoadingState<Content>>

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
    state = BindableActor(LoadingState())
    loader = Loader(cell: state.cell, load: load, retry: retry, clock: clock)
  }

  deinit {
    finish()
  }

  /// What is known of it now.
  public var value: Loading<Content> { state.value.phase }

  /// A cursor that stands nowhere yet.
  public var cursor: some StateCursor<Loading<Content>> {
    MapCursor(base: RemoveDuplicatesCursor(base: state.cursor) { $0.phaseNumber == $1.phaseNumber }) {
      $0.phase
    }
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
    if let content = state.value.loaded { return content }
    return try await answer(to: .load)
  }

  /// What a new load brings. One that is under way is cancelled; so where reloads always come sooner than a load is done,
  /// none ever is.
  ///
  /// - Throws: What the newest load has thrown in the end; `CancellationError` if it, or the task, was cancelled, or the
  ///   cell has finished.
  @discardableResult
  public func reload() async throws -> Content {
    try await answer(to: .reload)
  }

  /// Begins what `load()` does, and does not wait: for a handler. What comes of it is seen in the cell.
  public func beginLoading() {
    if state.value.loaded == nil { _ = loader.ask(for: .load) }
  }

  /// Begins what `reload()` does, and does not wait: for a handler. What comes of it is seen in the cell.
  public func beginReloading() {
    _ = loader.ask(for: .reload)
  }

  /// Gives up the load that is under way: what was there before it is there again. Whoever waits for it is told by a
  /// `CancellationError`.
  public func cancel() {
    loader.perform(loader.cell.modify { $0.cancelled() })
  }

  /// Whether it has ended.
  public var isFinished: Bool { state.isFinished }

  /// How many observations have not ended, and how many iterators of streams have not, together.
  public var observerCount: Int { state.observerCount }

  /// Returns when every observation has handled what was known before the call, or has ended; or when the task is
  /// cancelled.
  public func settled() async {
    await state.settled()
  }

  /// Ends the cell: a load that is under way is given up as by `cancel()`, readers end, and what is known stays. The end of
  /// the cell's life is a finish too.
  public func finish() {
    loader.perform(loader.cell.modify { $0.closed() })
    state.finish()
  }

  private func answer(to demand: Demand) async throws -> Content {
    try Task.checkCancellation()
    // From before it is asked: what comes after the answer is not looked at.
    let states = state.values(backlog: .unbounded)
    let request = loader.ask(for: demand)
    for await state in states where state.answered >= request {
      if let answer = state.answer { return try answer.get() }
    }
    throw CancellationError()
  }
}

/// Loads, and tells the cell. It does not keep the `LoadingCell` alive.
struct Loader<Content: Sendable>: Sendable {
  let cell: Cell<LoadingState<Content>>
  let load: @Sendable () async throws -> Content
  let retry: RetryPolicy
  let clock: any Clock<Duration>

  /// Returns the request whose answer is to be waited for.
  func ask(for demand: Demand) -> UInt64 {
    if demand == .load, let wanted = cell.value.wanted { return wanted }
    let job = Job()
    let (request, action) = cell.modify { $0.asked(demand, job) }
    perform(action)
    return request
  }

  func perform(_ action: LoadingState<Content>.Action) {
    switch action {
    // What a finished cell's copy has decided is not done.
    case .start(let run): if !cell.horizon.isFinished { start(run) }
    case .cancel(let job): job.cancel()
    case .none: break
    }
  }

  private func start(_ run: LoadingState<Content>.Run) {
    run.job.began(
      // It is nobody's alone: so it does not run with the values of one who asked.
      Task.detached(priority: Task.currentPriority) {
        let result = await result(of: run.request)
        run.job.ended()
        let job = Job()
        perform(cell.modify { $0.ended(run.request, result, job) })
      }
    )
  }

  // Of the last attempt.
  private func result(of request: UInt64) async -> Result<Content, any Error> {
    var attempt = 1
    while true {
      do {
        return .success(try await load())
      } catch {
        guard !Task.isCancelled, let delay = retry.delay(attempt, error) else { return .failure(error) }
        attempt += 1
        let next = LoadingAttempt(number: attempt, startsIn: delay, lastError: error)
        guard cell.modify({ $0.failed(request, next) }) else { return .failure(error) }
        do { try await clock.sleep(for: delay) } catch { return .failure(error) }
        // A finished cell does not tell.
        if Task.isCancelled { return .failure(error) }
        let begun = LoadingAttempt(number: attempt, startsIn: nil, lastError: error)
        guard cell.modify({ $0.failed(request, begun) }) else { return .failure(error) }
      }
    }
  }
}
