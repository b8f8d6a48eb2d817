/// The tasks in which a relay's driver runs functions of users.
///
/// The problem: to cancel a task runs its cancellation handlers, which are user code, on the thread that cancels. But a
/// turn of the relay may run on the thread of a writer, and the last reader may leave on any thread. So a task of its
/// own cancels these tasks, a little later.
// @unchecked: `lock` guards the variables.
@usableFromInline
package final class RelayTasks: @unchecked Sendable {
  private let turns: RelayTurns
  // The relay's cell. The driver holds it too.
  private let cell: AnyCell
  private let lock = Lock()
  // Guarded by `lock`.
  private var tasks: [Int: Task<Void, Never>] = [:]
  // Guarded by `lock`.
  private var isOver = false

  @usableFromInline
  package init(in turns: RelayTurns, for cell: AnyCell) {
    self.turns = turns
    self.cell = cell
  }

  /// The number of tasks that have not ended.
  package var count: Int { lock.withLock { tasks.count } }

  /// Runs `body` in a task, and then calls `ended` with its result, in a turn of the relay. The task keeps both
  /// closures until then. Called in the relay's turn. Does nothing after `cancelAll`.
  ///
  /// - Parameter number: A number that no other task has that has not ended.
  package func start<Result: Sendable>(
    _ number: Int,
    _ body: @escaping @Sendable () async -> Result,
    ended: @escaping @Sendable (Result) -> Void
  ) {
    if lock.withLock({ isOver }) { return }
    // Detached: the task inherits neither the task-local values nor the priority of a writer, on whose thread the turn
    // may run.
    let record = CellTask.started(for: cell)
    let task = Task.detached { [self] in
      let result = await CellTask.run(record, body)
      turns.perform(
        .call {
          self.taskEnded(number)
          ended(result)
          record?.ended()
        }
      )
    }
    // The end of the task is handled in a turn of the relay, and this function runs in one. So this function stores the
    // task first.
    let isLate = lock.withLock {
      if !isOver { tasks[number] = task }
      return isOver
    }
    if isLate { cancelSoon([task]) }
  }

  private func taskEnded(_ number: Int) {
    let task = lock.withLock { tasks.removeValue(forKey: number) }
    _ = consume task
  }

  /// Cancels one task, from another thread than the caller's. Called in the relay's turn.
  package func cancel(_ number: Int) {
    if let task = lock.withLock({ tasks[number] }) { cancelSoon([task]) }
  }

  /// Cancels all tasks, from another thread than the caller's, and lets no other task begin. Any thread may call this.
  package func cancelAll() {
    let cancelled = lock.withLock { () -> [Int: Task<Void, Never>] in
      isOver = true
      defer { tasks = [:] }
      return tasks
    }
    if !cancelled.isEmpty { cancelSoon(Array(cancelled.values)) }
  }

  private func cancelSoon(_ tasks: [Task<Void, Never>]) {
    let record = CellTask.started(for: cell)
    Task.detached {
      for task in tasks { task.cancel() }
      record?.ended()
    }
  }
}
