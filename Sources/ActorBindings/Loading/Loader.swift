/// The shell around `LoadingState`: takes the lock of the cell, asks the machine, releases the lock, acts.
///
/// A loader does not keep the `LoadingCell` alive.
// @unchecked: the lock of `cell` guards `state`.
final class Loader<Content: Sendable>: @unchecked Sendable {
  private typealias State = LoadingState<Content>

  private let cell: Cell<LoadingPhases<Content>>
  private let load: @Sendable () async throws -> Content
  private let retry: RetryPolicy
  private let clock: any Clock<Duration>

  // Guarded by the lock of `cell`.
  private var state = LoadingState<Content>()

  init(
    cell: Cell<LoadingPhases<Content>>,
    load: @escaping @Sendable () async throws -> Content,
    retry: RetryPolicy,
    clock: any Clock<Duration>
  ) {
    self.cell = cell
    self.load = load
    self.retry = retry
    self.clock = clock
    clock.willBeUsed(by: cell)
  }

  /// Waits for the answer to a request of this kind, and returns the answer.
  func answer(to kind: LoadKind) async throws -> Content {
    if Task.isCancelled {
      await CooperativeYield.callDidNotSuspend()
      throw CancellationError()
    }
    let call = WaitingCall()
    switch ask(for: kind, by: call) {
    case .answered(let answer):
      await CooperativeYield.callDidNotSuspend()
      return try answer.get()
    case .waits(let pending):
      await call.wait()
      return try cell.locked { _ in pending.left(by: call) }.get()
    }
  }

  /// Starts a load, joins a load that is under way, or returns the answer at once, as `kind` asks. Does not wait.
  @discardableResult
  func ask(for kind: LoadKind, by call: WaitingCall? = nil) -> LoadingState<Content>.RequestOutcome {
    let handle = TaskHandle()
    return decide { state, phases in state.asked(kind, by: call, handle, showing: phases) }
  }

  /// The number of calls that wait for the answer.
  var waitingCount: Int { cell.locked { _ in state.waitingCount } }

  /// Returns `waitingCount` for diagnostics, which do not keep the loader alive.
  var waitingCalls: @Sendable () -> Int {
    { [weak self] in self?.waitingCount ?? 0 }
  }

  func cancel() {
    decide { $0.cancelled(showing: $1) }
  }

  func close() {
    decide { $0.closed(showing: $1) }
  }

  private func decide<Result: Sendable>(
    _ event: (inout LoadingState<Content>, LoadingPhases<Content>) -> State.Outcome<Result>
  ) -> Result {
    let outcome = cell.decided { decideWhileLocked(event, $0) }
    let decision = outcome.decision
    if let run = decision.start { start(run) }
    decision.cancel?.cancel()
    decision.woken.wake()
    return outcome.result
  }

  private func decideWhileLocked<Result: Sendable>(
    _ event: (inout LoadingState<Content>, LoadingPhases<Content>) -> State.Outcome<Result>,
    _ phases: LoadingPhases<Content>
  ) -> Cell<LoadingPhases<Content>>.Decided<State.Outcome<Result>> {
    var outcome = event(&state, phases)
    let shown = outcome.decision.shown.take()
    return Cell.Decided(result: outcome, shown: shown)
  }

  private func start(_ run: State.Run) {
    let record = CellTask.started(for: cell)
    run.handle.began(
      // Detached: a load belongs to no caller, so it does not inherit the task-local values of the caller that asked
      // first.
      Task.detached(priority: Task.currentPriority) { [self] in
        let result = await CellTask.run(record) { await self.result(of: run.request) }
        run.handle.ended()
        let handle = TaskHandle()
        decide { $0.ended(run.request, result, handle, showing: $1) }
        record?.ended()
      }
    )
  }

  // Runs one attempt after the other, and returns the result of the last attempt.
  private func result(of request: UInt64) async -> Result<Content, any Error> {
    var attempt = 1
    while true {
      do {
        return .success(try await load())
      } catch {
        guard !Task.isCancelled, let delay = retry.delay(attempt, error) else { return .failure(error) }
        attempt += 1
        let next = LoadingAttempt(number: attempt, startsIn: delay, lastError: error)
        guard isCurrent(request, next) else { return .failure(error) }
        do {
          try await clock.sleeping { try await clock.sleep(for: delay.bounded) }
        } catch {
          return .failure(error)
        }
        let begun = LoadingAttempt(number: attempt, startsIn: nil, lastError: error)
        guard isCurrent(request, begun) else { return .failure(error) }
      }
    }
  }

  private func isCurrent(_ request: UInt64, _ next: LoadingAttempt) -> Bool {
    decide { state, phases in state.failed(request, next, showing: phases) }
  }
}
