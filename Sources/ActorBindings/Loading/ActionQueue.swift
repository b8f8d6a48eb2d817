/// The shell around `ActionState`: takes the lock, asks the machine, releases the lock, acts.
// @unchecked: the lock of the cell of `isExecuting` guards `state`.
final class ActionQueue: @unchecked Sendable {
  /// Whether a call executes.
  let isExecuting: BindableActor<Bool>

  private let policy: BusyPolicy
  // Guarded by the lock of the cell of `isExecuting`.
  private var state = ActionState()

  init(_ policy: BusyPolicy, name: String?, _ fileID: StaticString, _ line: UInt) {
    isExecuting = BindableActor(false, name: name, fileID: fileID, line: line)
    self.policy = policy
    isExecuting.cell.addToRecord(waitingCalls)
  }

  var waitingCount: Int { isExecuting.cell.locked { _ in state.waitingCount } }

  /// Returns `waitingCount` for diagnostics, which do not keep the queue alive.
  var waitingCalls: @Sendable () -> Int {
    { [weak self] in self?.waitingCount ?? 0 }
  }

  /// Asks the machine for the turn of `call`, and wakes the call that `call` displaces.
  func ask(_ call: WaitingCall) -> ActionState.Admission {
    let reply = decide { $0.asked(call, policy) }
    reply.displaced?.wake()
    return reply.admission
  }

  /// Waits until it is the turn of `call`, which was queued.
  ///
  /// - Throws: ``ActionRefusal`` if a newer call has displaced `call`; `CancellationError` if the task is cancelled.
  nonisolated(nonsending) func waitForTurn(of call: WaitingCall) async throws {
    await call.wait()
    let isDisplaced = isExecuting.cell.locked { _ in state.isDisplaced(call) }
    if isDisplaced { throw ActionRefusal.superseded }
    try Task.checkCancellation()
  }

  /// Tells the machine that `call` has ended, or gives up its turn, even if the turn has come. Wakes the call whose
  /// turn is next.
  func leave(_ call: WaitingCall) {
    decide { $0.left(call) }?.wake()
  }

  private func decide<Result: Sendable>(_ event: (inout ActionState) -> Result) -> Result {
    isExecuting.cell.decided { decideWhileLocked(event, wasExecuting: $0) }
  }

  private func decideWhileLocked<Result: Sendable>(
    _ event: (inout ActionState) -> Result,
    wasExecuting: Bool
  ) -> Cell<Bool>.Decided<Result> {
    let result = event(&state)
    return Cell.Decided(result: result, shown: state.isExecuting == wasExecuting ? nil : state.isExecuting)
  }
}
