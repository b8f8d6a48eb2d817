import ActorBindings

/// Tasks that wait until a state reaches their goal. For a clock the state is the time. For a gate it is whether the gate
/// is open. A state that reaches a goal reaches all lower goals.
///
/// If a task belongs to the library, its record says that it waits. A thread that wakes the task changes the record before
/// it resumes the task. So `quiesce` does not miss a task that is about to run.
// @unchecked: `lock` guards the variables.
final class WaitingTasks<State: Sendable, Goal: Comparable & Sendable>: @unchecked Sendable {
  private struct Waiting: Sendable {
    let goal: Goal
    let resumption: Resumption
    let record: CellTask?

  }

  // Tasks with one goal wake in the order in which they came.
  private struct Turn: Comparable, Sendable {
    let goal: Goal
    let id: Int

    static func < (left: Turn, right: Turn) -> Bool { (left.goal, left.id) < (right.goal, right.id) }
  }

  /// The number of tasks that wait.
  let count = BindableActor(0)

  private let isReached: @Sendable (Goal, State) -> Bool
  private let lock = Lock()
  // Guarded by `lock`.
  private var storedState: State
  // Guarded by `lock`.
  private var waiting: [Int: Waiting] = [:]
  // Guarded by `lock`. Also holds turns of cancelled tasks. A cancellation removes these if they outnumber the waiting
  // tasks by more than 8.
  private var turns = Heap<Turn>()
  // Guarded by `lock`.
  private var lastID = 0
  // Guarded by `lock`. The waits that were cancelled before they began.
  private var cancelledEarly: Set<Int> = []

  init(_ state: State, isReached: @escaping @Sendable (Goal, State) -> Bool) {
    storedState = state
    self.isReached = isReached
  }

  var state: State { lock.withLock { storedState } }

  /// The goals of the tasks that wait, the lowest first.
  var goals: [Goal] { lock.withLock { waiting.values.map(\.goal) }.sorted() }

  /// The lowest goal of a task that waits.
  var nextGoal: Goal? {
    lock.withLock {
      while let next = turns.first, waiting[next.id] == nil { turns.removeFirst() }
      return turns.first?.goal
    }
  }

  /// Changes the state, and wakes the tasks whose goals are reached, in the order of their goals.
  func change(_ change: (inout State) -> Void) {
    let woken = lock.withLock { () -> [Waiting] in
      change(&storedState)
      var woken: [Waiting] = []
      while let next = turns.first, isReached(next.goal, storedState) {
        turns.removeFirst()
        if let task = waiting.removeValue(forKey: next.id) { woken.append(task) }
      }
      return woken
    }
    wake(woken)
  }

  // A test that sees that no task waits may call `quiesce` at once. So the records change first.
  private func wake(_ tasks: [Waiting]) {
    if tasks.isEmpty { return }
    for task in tasks { task.record?.wasWoken() }
    count.modify { $0 -= tasks.count }
    for task in tasks { task.resumption.resume() }
  }

  /// Waits until the goal is reached.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  func wait(for goal: Goal) async throws {
    try Task.checkCancellation()
    let id = makeID()
    await withTaskCancellationHandler {
      await Resumption.suspend { resumption in
        let task = Waiting(goal: goal, resumption: resumption, record: .ofCaller)
        guard began(task, id) else { return false }
        count.modify { $0 += 1 }
        task.record?.sleepBegan()
        return true
      }
    } onCancel: {
      if let task = cancelled(id) { wake([task]) }
    }
    ended(id)
    try Task.checkCancellation()
  }

  private func makeID() -> Int {
    lock.withLock {
      lastID += 1
      return lastID
    }
  }

  // Returns false if the task need not wait.
  private func began(_ task: Waiting, _ id: Int) -> Bool {
    lock.withLock {
      guard !isReached(task.goal, storedState), !cancelledEarly.contains(id) else { return false }
      waiting[id] = task
      turns.insert(Turn(goal: task.goal, id: id))
      return true
    }
  }

  private func cancelled(_ id: Int) -> Waiting? {
    lock.withLock {
      guard let task = waiting.removeValue(forKey: id) else {
        cancelledEarly.insert(id)
        return nil
      }
      if turns.count > 2 * waiting.count + 8 { turns.removeAll { waiting[$0.id] == nil } }
      return task
    }
  }

  private func ended(_ id: Int) {
    _ = lock.withLock { cancelledEarly.remove(id) }
  }
}
