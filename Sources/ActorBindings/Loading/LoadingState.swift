/// What a `LoadingCell` holds, and what it decides. A pure state machine.
///
/// ### States
/// - *at rest*: nothing is wanted. `phase` says how the last load has ended.
/// - *loading*: a request is wanted, and the run for it is under way.
/// - *superseded*: a request is wanted, but the run that is under way is for an older one, and was cancelled. There is one
///   run at a time, so the next one begins when that has ended.
/// - *abandoned*: nothing is wanted, but a run that was cancelled has not ended.
/// - *closed*: the cell is about to finish. As *at rest* or *abandoned*, for good.
///
/// ### Transitions
/// | event | at rest | loading | superseded | abandoned |
/// |---|---|---|---|---|
/// | `asked` to load | a run begins; answered, if it is loaded | joins | joins | superseded |
/// | `asked` to reload | a run begins | superseded, the run is cancelled | joins a newer request | superseded |
/// | `failed` | – | the next attempt | nothing | nothing |
/// | `ended` | – | answered, at rest | the next run begins | at rest |
/// | `cancelled`, `closed` | nothing | answered, abandoned, the run is cancelled | answered, abandoned | nothing |
struct LoadingState<Content: Sendable>: Sendable {
  /// What readers see.
  private(set) var phase = Loading<Content>.idle
  /// Counts the phases: readers are handed each of them once.
  private(set) var phaseNumber = 0

  /// The newest request.
  private(set) var request: UInt64 = 0
  /// All requests up to this one are answered.
  private(set) var answered: UInt64 = 0
  /// How the last one was answered.
  private(set) var answer: Result<Content, any Error>?

  /// What is under way.
  private(set) var run: Run?

  // How the last load has ended: what a cancelled one leaves.
  private var rest = Loading<Content>.idle
  private var isClosed = false

  struct Run: Sendable {
    let request: UInt64
    let job: Job
  }

  /// What is to be done after the step.
  enum Action: Sendable {
    case start(Run)
    case cancel(Job)
    case none
  }

  private var isWanted: Bool { request > answered }

  /// Whose answer is waited for; nil if nothing is wanted.
  var wanted: UInt64? { isWanted ? request : nil }

  /// What is there, if nothing newer is wanted.
  var loaded: Content? {
    if case .loaded(let content) = phase { content } else { nil }
  }

  /// Somebody wants it. `job` is for the run that may begin.
  mutating func asked(_ demand: Demand, _ job: Job) -> (request: UInt64, action: Action) {
    if demand == .load, let wanted { return (wanted, .none) }
    // Nobody will be answered.
    if isClosed { return (request + 1, .none) }
    request += 1
    if demand == .load, let loaded {
      (answered, answer) = (request, .success(loaded))
      return (request, .none)
    }
    began(LoadingAttempt())
    guard let run else { return (request, begin(job)) }
    return (request, .cancel(run.job))
  }

  /// An attempt has failed, and the next one begins in a while. False if this is of no interest any more.
  mutating func failed(_ run: UInt64, _ next: LoadingAttempt) -> Bool {
    guard isWanted, request == run else { return false }
    began(next)
    return true
  }

  /// A run has come to its end.
  mutating func ended(_ run: UInt64, _ result: Result<Content, any Error>, _ job: Job) -> Action {
    self.run = nil
    guard isWanted else { return .none }
    guard request == run else { return begin(job) }
    (answered, answer) = (request, result)
    switch result {
    case .success(let content): rest = .loaded(content)
    case .failure(let error): rest = .failed(error, last: phase.content)
    }
    show(rest)
    return .none
  }

  /// Nobody wants it any more.
  mutating func cancelled() -> Action {
    guard isWanted else { return .none }
    (answered, answer) = (request, .failure(CancellationError()))
    show(rest)
    return run.map { .cancel($0.job) } ?? .none
  }

  /// Nobody will want it again.
  mutating func closed() -> Action {
    isClosed = true
    return cancelled()
  }

  private mutating func begin(_ job: Job) -> Action {
    let run = Run(request: request, job: job)
    self.run = run
    return .start(run)
  }

  private mutating func began(_ attempt: LoadingAttempt) {
    // The same once more is no news.
    if attempt.number == 1, phase.attempt?.number == 1 { return }
    show(phase.content.map { .reloading($0, attempt) } ?? .loading(attempt))
  }

  private mutating func show(_ phase: Loading<Content>) {
    self.phase = phase
    phaseNumber += 1
  }
}

/// What is asked of a `LoadingCell`.
enum Demand {
  /// What was loaded will do, and a load that is under way.
  case load
  /// Nothing but a new load will do.
  case reload
}
