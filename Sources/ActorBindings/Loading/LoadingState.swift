/// Decides which load of a `LoadingCell` runs, and which requests wait for it. A pure state machine.
///
/// Each event receives what the cell shows, and returns what the cell must show next, so the machine itself holds no
/// content.
///
/// ### States
/// - *at rest*: no request waits.
/// - *loading*: a request is pending, and the run for it is under way.
/// - *superseded*: a request is pending, but the run that is under way is for an older request, and was cancelled.
///   There is one run at a time, so the next run begins when the cancelled run has ended.
/// - *abandoned*: no request is pending, but a run that was cancelled has not ended.
/// - *closed*: the cell is about to finish. No request waits, and no run begins any more. A cancelled run may still be
///   under way.
///
/// ### Transitions
/// | event | at rest | loading | superseded | abandoned | closed |
/// |---|---|---|---|---|---|
/// | `asked` to load | a run begins (1) | joins | joins | superseded (1) | answered at once |
/// | `asked` to reload | a run begins | superseded, the run is cancelled | a newer request | superseded | answered at once |
/// | `failed` | – | the next attempt | nothing | nothing | nothing |
/// | `ended` | – | answered, at rest | the next run begins | at rest | nothing |
/// | `cancelled`, `closed` | nothing | answered, abandoned, the run is cancelled | answered, abandoned | nothing | nothing |
///
/// (1) If the content is loaded, the request is answered at once, and the state stays the same.
///
/// After the event `closed`, the state is *closed* in any case.
///
/// ### Actions
/// The shell publishes `Decision.shown` in the same hold of the lock. After the lock, the shell starts or cancels a
/// run, and wakes the calls that were answered.
///
/// ### Behavior
/// Each event takes constant time: the calls that wait share one `PendingAnswer`, which removes all of them in one
/// step. A call leaves in constant time, too.
struct LoadingState<Content: Sendable>: ~Copyable, Sendable {
  /// The answer that calls wait for; nil if no request is pending.
  private(set) var pending: PendingAnswer<Content>?
  /// The run that is under way.
  private(set) var run: Run?

  /// The number of calls that wait for the answer.
  var waitingCount: Int { pending?.waitingCount ?? 0 }

  // The number of the newest request.
  private var request: UInt64 = 0
  private var isClosed = false

  /// A load, for the request that was the newest when the run began.
  struct Run: Sendable {
    let request: UInt64
    let handle: TaskHandle
  }

  /// What an event obliges the shell to do.
  struct Decision: Sendable {
    /// The new value of the cell; nil if the value does not change.
    var shown: LoadingPhases<Content>?
    var start: Run?
    var cancel: TaskHandle?
    /// The calls that the shell must wake after the lock.
    var woken = Woken(first: nil)
    /// The answer that is no longer pending. The shell must release it after the lock.
    var answered: PendingAnswer<Content>?
  }

  /// The result of an event for its caller, and what the event obliges the shell to do.
  struct Outcome<Result: Sendable>: Sendable {
    let result: Result
    var decision = Decision()
  }

  /// The result of a request: the answer, or what the caller waits for.
  enum RequestOutcome: Sendable {
    case answered(Result<Content, any Error>)
    case waits(PendingAnswer<Content>)
  }

  /// A caller asks for the content.
  ///
  /// - Parameters:
  ///   - call: The call that waits for the answer; nil if the caller does not wait.
  ///   - handle: The task handle for the run, if this request begins a run.
  mutating func asked(
    _ kind: LoadKind,
    by call: WaitingCall?,
    _ handle: TaskHandle,
    showing phases: LoadingPhases<Content>
  ) -> Outcome<RequestOutcome> {
    var decision = Decision()
    if kind == .load, let loaded = phases.loaded {
      return Outcome(result: .answered(.success(loaded)))
    }
    if isClosed { return Outcome(result: .answered(.failure(CancellationError()))) }
    let joins = kind == .load && pending != nil
    let pending = pending ?? PendingAnswer()
    self.pending = pending
    if let call { pending.entered(call) }
    if joins { return Outcome(result: .waits(pending)) }
    request += 1
    decision.shown = phases.attempted(LoadingAttempt())
    if let run { decision.cancel = run.handle } else { startLoad(handle, &decision) }
    return Outcome(result: .waits(pending), decision: decision)
  }

  /// An attempt has failed, and the next one begins now or after its delay. Returns false if the run should end,
  /// because no request is pending, or the run is not for the newest request.
  mutating func failed(
    _ request: UInt64,
    _ next: LoadingAttempt,
    showing phases: LoadingPhases<Content>
  ) -> Outcome<Bool> {
    guard pending != nil, request == self.request else { return Outcome(result: false) }
    return Outcome(result: true, decision: Decision(shown: phases.attempted(next)))
  }

  /// A run has ended. `handle` is the task handle for the next run, if a request waits for a run.
  mutating func ended(
    _ request: UInt64,
    _ result: Result<Content, any Error>,
    _ handle: TaskHandle,
    showing phases: LoadingPhases<Content>
  ) -> Outcome<Void> {
    var decision = Decision()
    run = nil
    guard pending != nil else { return Outcome(result: (), decision: decision) }
    guard request == self.request else {
      startLoad(handle, &decision)
      return Outcome(result: (), decision: decision)
    }
    decision.shown = phases.ended(result)
    answer(result, &decision)
    return Outcome(result: (), decision: decision)
  }

  /// A caller cancels the load.
  mutating func cancelled(showing phases: LoadingPhases<Content>) -> Outcome<Void> {
    var decision = Decision()
    guard pending != nil else { return Outcome(result: (), decision: decision) }
    decision.shown = phases.cancelled()
    decision.cancel = run?.handle
    answer(.failure(CancellationError()), &decision)
    return Outcome(result: (), decision: decision)
  }

  /// The cell is about to finish. Cancels the load, and lets no other load begin.
  mutating func closed(showing phases: LoadingPhases<Content>) -> Outcome<Void> {
    isClosed = true
    return cancelled(showing: phases)
  }

  private mutating func startLoad(_ handle: TaskHandle, _ decision: inout Decision) {
    let run = Run(request: request, handle: handle)
    self.run = run
    decision.start = run
  }

  private mutating func answer(_ answer: Result<Content, any Error>, _ decision: inout Decision) {
    guard let pending = pending.take() else { return }
    decision.woken = pending.answered(answer)
    decision.answered = pending
  }
}

/// An answer that several calls may wait for, and these calls.
// @unchecked: the lock that guards the `LoadingState` guards the variables.
final class PendingAnswer<Content: Sendable>: @unchecked Sendable {
  private var answer: Result<Content, any Error>?
  private var calls = WaitList()
  /// The number of calls that wait.
  private(set) var waitingCount = 0

  /// `call` begins to wait for the answer.
  func entered(_ call: WaitingCall) {
    calls.append(call)
    waitingCount += 1
  }

  /// The answer has come. Returns the calls that the shell must wake after the lock.
  func answered(_ answer: Result<Content, any Error>) -> Woken {
    self.answer = answer
    waitingCount = 0
    return calls.takeAll()
  }

  /// `call` was woken. Returns the answer; a `CancellationError` if there is no answer yet, because then the task was
  /// cancelled.
  func left(by call: WaitingCall) -> Result<Content, any Error> {
    if let answer { return answer }
    if calls.remove(call) { waitingCount -= 1 }
    return .failure(CancellationError())
  }
}

/// A kind of request to a `LoadingCell`.
enum LoadKind: Sendable {
  /// Accepts content that is loaded already, and joins a load that is under way.
  case load
  /// Accepts only the content of a new load.
  case reload
}
