/// An asynchronous function that runs once at a time, and says whether it does.
///
/// ```swift
/// let save = Action(whileBusy: .latest) { (draft: Draft) in try await store.save(draft) }
///
/// save.isExecuting.bind(to: spinner, \.isVisible)
/// save.isEnabled.bind(to: button, \.isEnabled)
/// editor.drafts.bind(to: save)                             // or save.begin(draft), or try await save.execute(draft)
/// for await error in save.errors.values(backlog: .unbounded) { … }
/// ```
public final class Action<Input: Sendable, Output: Sendable>: Sendable {
  private let perform: @Sendable (Input) async throws -> Output
  private let policy: BusyPolicy
  private let queue: ActionQueue
  private let failures = Events<any Error>()
  // What is asked when it is called; and the same as a state to combine with.
  private let allows: @Sendable () -> Bool
  private let allowed: BindableActor<Bool>

  /// An action that may always be called.
  ///
  /// - Parameters:
  ///   - policy: What becomes of a call while another one is executing.
  ///   - perform: Is called with what `execute` and `begin` are.
  public init(
    whileBusy policy: BusyPolicy = .refuse,
    _ perform: @escaping @Sendable (Input) async throws -> Output
  ) {
    self.policy = policy
    queue = ActionQueue(policy)
    self.perform = perform
    allows = { true }
    allowed = BindableActor(true)
  }

  /// An action that may be called while a state says so.
  ///
  /// - Parameters:
  ///   - policy: What becomes of a call while another one is executing.
  ///   - isEnabled: Is asked at each call. It is not kept alive, and says the same for ever when it has ended.
  ///   - perform: Is called with what `execute` and `begin` are.
  public init(
    whileBusy policy: BusyPolicy = .refuse,
    isEnabled: some StateSource<Bool>,
    _ perform: @escaping @Sendable (Input) async throws -> Output
  ) {
    self.policy = policy
    queue = ActionQueue(policy)
    self.perform = perform
    // Not the source itself, which may be a cell: it is not kept alive.
    let state = DerivedSource(isEnabled.cursor)
    allows = { state.value }
    allowed = BindableActor(of: isEnabled)
  }

  // MARK: - What it says

  /// Whether a call is executing.
  public var isExecuting: some StateSource<Bool> {
    queue.isExecuting.removeDuplicates()
  }

  /// Whether a call would be taken. It may be a little behind; `execute` and `begin` ask for themselves.
  public var isEnabled: some StateSource<Bool> {
    combineLatest(allowed, queue.isExecuting)
      .map { [policy] allowed, isExecuting in allowed && (policy != .refuse || !isExecuting) }
      .removeDuplicates()
  }

  /// What calls throw from now on. Who wants each error reads this with `.unbounded`. To be cancelled is no error, and
  /// neither is to be refused.
  public var errors: some BindingSource<any Error> {
    DerivedSource(failures.cursor)
  }

  /// How many calls wait for their turn.
  public var waitingCount: Int { queue.waitingCount }

  // MARK: - Calling it

  /// Calls it, in the task of the caller, when it is its turn. Deadlocks if it is called from its own function with
  /// ``BusyPolicy/queue`` or ``BusyPolicy/latest``.
  ///
  /// - Throws: What the function throws; ``ActionRefusal`` if the call is not taken, or a newer one takes its place;
  ///   `CancellationError` if the task is cancelled while it waits.
  @discardableResult
  public func execute(_ input: Input) async throws -> Output {
    let call = WaitingCall()
    let admission = try admission(of: call).get()
    return try await execute(input, call, admission)
  }

  /// Calls it in a task of its own, and does not wait: for a handler. What it throws is seen in `errors`.
  ///
  /// Calls are taken in the order in which this is called. The call continues if the action is deallocated.
  ///
  /// - Returns: Whether the call is taken. With ``BusyPolicy/latest`` a newer one may take its place yet.
  @discardableResult
  public func begin(_ input: Input) -> Bool {
    let call = WaitingCall()
    guard case .success(let admission) = admission(of: call) else { return false }
    Task { try? await execute(input, call, admission) }
    return true
  }

  private func admission(of call: WaitingCall) -> Result<ActionState.Admission, ActionRefusal> {
    guard allows() else { return .failure(.disabled) }
    let admission = queue.ask(call)
    return admission == .refused ? .failure(.busy) : .success(admission)
  }

  private func execute(
    _ input: Input,
    _ call: WaitingCall,
    _ admission: ActionState.Admission
  ) async throws -> Output {
    // Also if it throws before its turn: the turn may come meanwhile.
    defer { queue.leave(call) }
    if admission == .queued { try await queue.turn(of: call) }
    do {
      return try await perform(input)
    } catch {
      if !(error is CancellationError) { failures.send(error) }
      throw error
    }
  }
}

extension Action where Input == Void {
  /// Calls it, in the task of the caller, when it is its turn.
  @discardableResult
  public func execute() async throws -> Output {
    try await execute(())
  }

  /// Calls it in a task of its own, and does not wait: for a handler. What it throws is seen in `errors`.
  @discardableResult
  public func begin() -> Bool {
    begin(())
  }
}

extension Action: BindingTarget {
  /// Begins a call, if it is taken.
  public func receive(_ input: Input) {
    begin(input)
  }
}

/// What becomes of a call of an ``Action`` while another one is executing.
public enum BusyPolicy: Sendable {
  /// It is refused.
  case refuse
  /// It waits until those before it have ended.
  case queue
  /// It waits, and takes the place of the one that waited before it: so the last one is executed in any case, as for what
  /// is bound to a state.
  case latest
}

/// Why a call of an ``Action`` was not taken.
public enum ActionRefusal: Error {
  /// Another one is executing, and it was said that calls are refused then.
  case busy
  /// The state that it was made with said so.
  case disabled
  /// It waited for its turn, and a newer call has taken its place.
  case superseded
}
