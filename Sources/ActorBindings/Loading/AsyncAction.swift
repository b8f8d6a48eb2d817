/// An asynchronous function that runs at most once at a time, and shows whether it runs.
///
/// ```swift
/// let save = AsyncAction(whileBusy: .latest) { (draft: Draft) in
///   try await store.save(draft)
/// }
///
/// save.isExecuting.bind(to: spinner, \.isVisible)
/// save.isEnabled.bind(to: button, \.isEnabled)
/// // Or save.start(draft), or try await save.execute(draft):
/// editor.drafts.bind(to: save)
/// // And save.outputs: what the calls return.
/// for await error in save.errors.values(backlog: .unbounded) { … }
/// ```
public final class AsyncAction<Input: Sendable, Output: Sendable>: Sendable {
  private let perform: @Sendable (Input) async throws -> Output
  private let policy: BusyPolicy
  let queue: ActionQueue
  private let results: EventSource<Output>
  private let failures: EventSource<any Error>
  // Each call asks `allows`. `allowed` is a cell that holds the same answer: `isEnabled` combines this cell with
  // `queue.isExecuting`.
  private let allows: @Sendable () -> Bool
  private let allowed: BindableActor<Bool>

  /// Creates an action that accepts calls at any time, as far as `policy` allows.
  ///
  /// - Parameters:
  ///   - policy: What happens to a call that comes while another call executes.
  ///   - name: The name of the action, which diagnostics show; nil if it has none. See `named(_:)`.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  ///   - perform: The function that `execute` and `start` call, with their input.
  public init(
    whileBusy policy: BusyPolicy = .refuse,
    name: String? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ perform: @escaping @Sendable (Input) async throws -> Output
  ) {
    self.policy = policy
    queue = ActionQueue(policy, name: name, fileID, line)
    results = EventSource(fileID: fileID, line: line)
    failures = EventSource(fileID: fileID, line: line)
    self.perform = perform
    allows = { true }
    allowed = BindableActor(true, fileID: fileID, line: line)
  }

  /// Creates an action that accepts calls while the value of `isEnabled` is true, as far as `policy` allows.
  ///
  /// - Parameters:
  ///   - policy: What happens to a call that comes while another call executes.
  ///   - isEnabled: The source whose value each call checks. The action does not keep the source alive. Once the source
  ///     has ended, its last value holds for ever.
  ///   - name: The name of the action, which diagnostics show; nil if it has none. See `named(_:)`.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  ///   - perform: The function that `execute` and `start` call, with their input.
  public init(
    whileBusy policy: BusyPolicy = .refuse,
    isEnabled: some StateSource<Bool>,
    name: String? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ perform: @escaping @Sendable (Input) async throws -> Output
  ) {
    self.policy = policy
    queue = ActionQueue(policy, name: name, fileID, line)
    results = EventSource(fileID: fileID, line: line)
    failures = EventSource(fileID: fileID, line: line)
    self.perform = perform
    // Keeps only the cursor: the source itself may be a cell, which the action must not keep alive.
    let state = DerivedSource(isEnabled.cursor)
    allows = { state.value }
    allowed = BindableActor(of: isEnabled, fileID: fileID, line: line)
  }

  // MARK: - What it says

  /// Whether a call executes.
  public var isExecuting: some StateSource<Bool> {
    queue.isExecuting.removeDuplicates()
  }

  /// Whether the action would accept a call.
  ///
  /// This state may be a little out of date, so `execute` and `start` do not rely on it.
  public var isEnabled: some StateSource<Bool> {
    combineLatest(allowed, queue.isExecuting)
      .map { [policy] allowed, isExecuting in allowed && (policy != .refuse || !isExecuting) }
      .removeDuplicates()
  }

  /// The outputs that calls return from now on.
  ///
  /// To receive each output, read this source with the backlog `.unbounded`. The output of a call comes before
  /// `isExecuting` becomes false. The action holds the last output until the next one.
  public var outputs: some BindingSource<Output> {
    DerivedSource(results.cursor)
  }

  /// The errors that calls throw from now on.
  ///
  /// To receive each error, read this source with the backlog `.unbounded`. Cancellations and refusals are not errors.
  public var errors: some BindingSource<any Error> {
    DerivedSource(failures.cursor)
  }

  /// The number of calls that wait for their turn.
  public var waitingCount: Int { queue.waitingCount }

  // MARK: - Calling it

  /// Runs the function in the task of the caller, when it is the turn of this call.
  ///
  /// Deadlocks if the function itself calls `execute`, with ``BusyPolicy/queue`` or ``BusyPolicy/latest``. The action keeps
  /// what the call returns, for ``outputs``, until the next call returns.
  ///
  /// - Throws: What the function throws; ``ActionRefusal`` if the action does not accept the call, or a newer call
  ///   displaces this call; `CancellationError` if the task is cancelled while the call waits.
  @discardableResult
  public func execute(_ input: Input) async throws -> Output {
    let call = WaitingCall()
    let admission = try admission(of: call).get()
    return try await execute(input, call, admission)
  }

  /// Starts a call in a task of its own, and does not wait for it. A handler can call this. `outputs` shows
  /// what the call returns, `errors` what it throws.
  ///
  /// The action accepts calls in the order in which callers call `start`. A call keeps the action alive until the call
  /// ends, so the call continues even if the caller releases the action.
  ///
  /// - Returns: Whether the action accepts the call. With ``BusyPolicy/latest``, a newer call may still displace the
  ///   call.
  @discardableResult
  public func start(_ input: Input) -> Bool {
    let call = WaitingCall()
    guard case .success(let admission) = admission(of: call) else { return false }
    let record = CellTask.started(for: queue.isExecuting.cell)
    Task {
      _ = await CellTask.run(record) { try? await execute(input, call, admission) }
      record?.ended()
    }
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
    // Leaves the queue even if the call throws before its turn, because the turn may come in the meantime.
    defer { queue.leave(call) }
    if admission == .queued { try await queue.waitForTurn(of: call) }
    do {
      let output = try await perform(input)
      results.send(output)
      return output
    } catch {
      if !(error is CancellationError) { failures.send(error) }
      throw error
    }
  }
}

extension AsyncAction where Input == Void {
  /// Runs the function in the task of the caller, when it is the turn of this call.
  @discardableResult
  public func execute() async throws -> Output {
    try await execute(())
  }

  /// Starts a call in a task of its own, and does not wait for it. A handler can call this. `outputs` shows
  /// what the call returns, `errors` what it throws.
  @discardableResult
  public func start() -> Bool {
    start(())
  }
}

extension AsyncAction: BindingTarget {
  /// Starts a call with `input`, if the action accepts the call.
  public func receive(_ input: Input) {
    start(input)
  }
}

/// A policy for the calls of an ``AsyncAction`` that come while another call executes.
public enum BusyPolicy: Sendable {
  /// Refuses the call.
  case refuse
  /// Queues the call: it waits until the calls before it have ended.
  case queue
  /// Lets the call wait, in place of a call that waits already.
  ///
  /// So the action always executes the last call, as a binding of a cell always delivers the last value.
  case latest
}

/// The reason why an ``AsyncAction`` did not execute a call.
public enum ActionRefusal: Error {
  /// Another call executes, and the policy is ``BusyPolicy/refuse``.
  case busy
  /// The state that enables the action was false.
  case disabled
  /// A newer call has taken the place of this call, which waited for its turn.
  case superseded
}
