/// What a `LoadingCell` decides: which load runs, and which requests wait for it. A pure state machine.
///
/// It holds no content. It is told what the cell shows, and returns what the cell shows next.
///
/// ### States
/// - *at rest*: no request waits.
/// - *loading*: a request is pending, and the run for it is under way.
/// - *superseded*: a request is pending, but the run that is under way is for an older one, and was cancelled. There is
///   one run at a time, so the next one begins when that one has ended.
/// - *abandoned*: no request is pending, but a run that was cancelled has not ended.
/// - *closed*: the cell is about to finish. As *at rest* or *abandoned*, for good.
///
/// ### Transitions
/// | event | at rest | loading | superseded | abandoned | closed |
/// |---|---|---|---|---|---|
/// | `asked` to load | a run begins; answered at once, if the content is there | joins | joins | superseded | answered at once |
/// | `asked` to reload | a run begins | superseded, the run is cancelled | a newer request | superseded | answered at once |
/// | `failed` | – | the next attempt | nothing | nothing | nothing |
/// | `ended` | – | answered, at rest | the next run begins | at rest | nothing |
/// | `cancelled`, `closed` | nothing | answered, abandoned, the run is cancelled | answered, abandoned | nothing | nothing |
///
/// ### Actions
/// The shell publishes `Decision.shown` in the same step. After the lock it starts or cancels a run, and wakes the calls
/// that were answered.
///
/// ### Behavior
/// Each event takes constant time: the calls that wait share one `PendingAnswer`, and are taken out of it together. A
/// call leaves in constant time, too.
struct LoadingState<Content: Sendable>: ~Copyable, Sendable {
  /// The answer that calls wait for; nil if no request is pending.
  private(set) var pending: PendingAnswer<Content>?
  /// What is under way.
  private(set) var run: Run?

  // The number of the newest request.
  private var request: UInt64 = 0
  private var isClosed = false

  /// A load, for the newest request at the time.
  struct Run: Sendable {
    let request: UInt64
    let job: Job
  }

  /// What an event obliges the shell to do.
  struct Decision: Sendable {
    /// What the cell shows from now on, if that changes.
    var shown: LoadingPhases<Content>?
    var start: Run?
    var cancel: Job?
    /// These calls are to be woken, if there are any.
    var woken = Woken(first: nil)
    /// Is to be released after the lock.
    var answered: PendingAnswer<Content>?
  }

  /// What becomes of a request.
  enum Reception: Sendable {
    case answered(Result<Content, any Error>)
    case waits(PendingAnswer<Content>)
  }

  /// The content is asked for.
  ///
  /// - Parameters:
  ///   - call: Waits for the answer; nil if the caller does not.
  ///   - job: Is for the run that may begin.
  mutating func asked(
    _ demand: Demand,
    by call: WaitingCall?,
    _ job: Job,
    showing phases: LoadingPhases<Content>
  ) -> (Reception, Decision) {
    var decision = Decision()
    if demand == .load, let loaded = phases.loaded {
      return (.answered(.success(loaded)), decision)
    }
    if isClosed { return (.answered(.failure(CancellationError())), decision) }
    let joins = demand == .load && pending != nil
    let pending = pending ?? PendingAnswer()
    self.pending = pending
    if let call { pending.entered(call) }
    if joins { return (.waits(pending), decision) }
    request += 1
    decision.shown = phases.attempted(LoadingAttempt())
    if let run { decision.cancel = run.job } else { begin(job, &decision) }
    return (.waits(pending), decision)
  }

  /// An attempt has failed, and the next one begins in a while. False if this is of no interest any more.
  mutating func failed(
    _ request: UInt64,
    _ next: LoadingAttempt,
    showing phases: LoadingPhases<Content>
  ) -> (isCurrent: Bool, Decision) {
    guard pending != nil, request == self.request else { return (false, Decision()) }
    return (true, Decision(shown: phases.attempted(next)))
  }

  /// A run has ended.
  mutating func ended(
    _ request: UInt64,
    _ result: Result<Content, any Error>,
    _ job: Job,
    showing phases: LoadingPhases<Content>
  ) -> Decision {
    var decision = Decision()
    run = nil
    guard pending != nil else { return decision }
    guard request == self.request else {
      begin(job, &decision)
      return decision
    }
    decision.shown = phases.ended(result)
    answer(result, &decision)
    return decision
  }

  /// The load is given up.
  mutating func cancelled(showing phases: LoadingPhases<Content>) -> Decision {
    var decision = Decision()
    guard pending != nil else { return decision }
    decision.shown = phases.cancelled()
    decision.cancel = run?.job
    answer(.failure(CancellationError()), &decision)
    return decision
  }

  /// The load is given up, and no other one begins.
  mutating func closed(showing phases: LoadingPhases<Content>) -> Decision {
    isClosed = true
    return cancelled(showing: phases)
  }

  private mutating func begin(_ job: Job, _ decision: inout Decision) {
    let run = Run(request: request, job: job)
    self.run = run
    decision.start = run
  }

  private mutating func answer(_ answer: Result<Content, any Error>, _ decision: inout Decision) {
    guard let pending = pending.take() else { return }
    decision.woken = pending.answered(answer)
    decision.answered = pending
  }
}

/// The answer that calls wait for together, and these calls.
// @unchecked: guarded by the lock that guards the `LoadingState`.
final class PendingAnswer<Content: Sendable>: @unchecked Sendable {
  private var answer: Result<Content, any Error>?
  private var calls = WaitList()

  /// A call waits for it.
  func entered(_ call: WaitingCall) {
    calls.append(call)
  }

  /// It is there. Returns the calls that are to be woken, after the lock.
  func answered(_ answer: Result<Content, any Error>) -> Woken {
    self.answer = answer
    return calls.takeAll()
  }

  /// A call goes on: with the answer, or because its task was cancelled.
  func left(by call: WaitingCall) -> Result<Content, any Error> {
    if let answer { return answer }
    _ = calls.remove(call)
    return .failure(CancellationError())
  }
}

/// What is asked of a `LoadingCell`.
enum Demand: Sendable {
  /// What was loaded will do, and a load that is under way.
  case load
  /// Nothing but a new load will do.
  case reload
}
