/// The record of a task of the library that works for a cell: it runs a function of the user, or waits for a clock.
///
/// The test kit waits for such tasks. The library records them only in programs that contain the kit, because a record
/// costs about a tenth of what the task costs.
///
/// ### States
/// - *busy*: the task runs, or waits for something that the test kit does not know, such as an answer from a server.
/// - *sleeping*: the task itself waits at a clock or a gate of the test kit.
/// - *waiting*: the task itself waits for time by another clock, or for the next element of a sequence. It may sleep
///   meanwhile.
/// - *woken*: busy, because another thread has woken the task from its sleep, and the task has not run since.
/// - *cancelled*: busy until the end. The task should end soon. If the code that it waits in ignores cancellation, the task
///   stays busy.
/// - *ended*
///
/// ### Transitions
/// | event | effect |
/// |---|---|
/// | `sleepBegan` | sleeping; if the wake-up came first: still woken |
/// | `wasWoken` | woken |
/// | `waitBegan` | waiting |
/// | `waitEnded` | busy |
/// | `wasCancelled` | cancelled |
/// | `ended` | ended |
///
/// The task itself calls `sleepBegan`, `waitBegan` and `waitEnded`. A thread that wakes the task calls `wasWoken` before it
/// resumes the task, so a task that is about to run is busy. That thread may be so fast that `sleepBegan` comes later: then
/// the number of sleeps is negative for a moment.
///
/// A child of the task may wait at a clock while the task does other work. So the waits of children do not count.
// @unchecked: `lock` guards the variables.
package final class CellTask: @unchecked Sendable {
  // The record of the task that runs, or of the task of which it is a child.
  @TaskLocal private static var current: CellTask?

  private static let records = KitRecords<CellTask>()

  /// The records of the tasks that have not ended, in the order in which the tasks started.
  package static var all: [CellTask] { records.all }

  /// The cell; nil if it was deallocated. A record does not keep the cell alive.
  package weak let cell: AnyCell?

  private let lock = Lock()
  // Guarded by `lock`. 1 while the task sleeps.
  private var sleeps = 0
  // Guarded by `lock`.
  private var waits = 0
  // Guarded by `lock`.
  private var isWoken = false
  // Guarded by `lock`.
  private var isCancelled = false
  // Guarded by `lock`.
  private var hasEnded = false
  // Guarded by `lock`. Identifies the task that runs; nil before it runs.
  private var taskID: Int?
  // Guarded by `lock`. The tasks of the test kit that wait until this task is not busy.
  private var resumptions: [ObjectIdentifier: Resumption] = [:]

  package init(for cell: AnyCell) {
    self.cell = cell
  }

  /// Makes a record of a task that is about to start. Returns nil in a program without the test kit.
  package static func started(for cell: AnyCell) -> CellTask? {
    guard TestKit.isPresent else { return nil }
    // The steps of a record are no points at which the explorer switches threads: with the kit and without it, it
    // explores the same schedules.
    return SchedulePoint.insideRuntime {
      let task = CellTask(for: cell)
      records.insert(task, for: task)
      return task
    }
  }

  /// Runs `body` as the task that the record describes.
  nonisolated(nonsending) package static func run<Result>(
    _ record: CellTask?,
    _ body: () async -> Result
  ) async -> Result {
    guard let record else { return await body() }
    record.began(as: callerID)
    return await $current.withValue(record, operation: body)
  }

  private func began(as id: Int?) {
    SchedulePoint.insideRuntime { lock.withLock { taskID = id } }
  }

  /// The record of the caller; nil if the caller is no task of the library, or a child of one.
  package static var ofCaller: CellTask? {
    guard TestKit.isPresent, let record = current, record.isOwn else { return nil }
    return record
  }

  package func ended() {
    changed { hasEnded = true }
    Self.records.remove(self)
  }

  package func sleepBegan() {
    changed {
      sleeps += 1
      if sleeps > 0 { isWoken = false }
    }
  }

  /// Another thread is about to resume the task from its sleep.
  package func wasWoken() {
    changed {
      sleeps -= 1
      isWoken = true
    }
  }

  package func waitBegan() {
    changed {
      waits += 1
      isWoken = false
    }
  }

  package func waitEnded() {
    changed {
      waits -= 1
      isWoken = false
    }
  }

  /// The task is about to be cancelled.
  package func wasCancelled() {
    changed { isCancelled = true }
  }

  // Whether the caller is the task itself, and no child of it.
  private var isOwn: Bool {
    let caller = Self.callerID
    return SchedulePoint.insideRuntime { lock.withLock { taskID == caller } }
  }

  private static var callerID: Int? { unsafe withUnsafeCurrentTask { task in unsafe task?.hashValue } }

  private func changed(_ change: () -> Void) {
    let resumed = SchedulePoint.insideRuntime {
      lock.withLock { () -> [Resumption] in
        change()
        guard !isBusyWhileLocked else { return [] }
        defer { resumptions = [:] }
        return Array(resumptions.values)
      }
    }
    resumed.forEach { $0.resume() }
  }

  private var isBusyWhileLocked: Bool {
    !hasEnded && (isCancelled || isWoken || sleeps <= 0 && waits <= 0)
  }

  package var isBusy: Bool { SchedulePoint.insideRuntime { lock.withLock { isBusyWhileLocked } } }

  /// The number of calls of `idle` that wait.
  package var idleCallCount: Int { SchedulePoint.insideRuntime { lock.withLock { resumptions.count } } }

  /// Waits until the task is not busy, or until the caller is cancelled. Returns false if the task was not busy.
  package func idle() async -> Bool {
    let call = CancelledCall()
    return await withTaskCancellationHandler {
      var waits = false
      await Resumption.suspend { resumption in
        waits = joined(call, resumption)
        return waits
      }
      return waits
    } onCancel: {
      SchedulePoint.insideRuntime { left(call) }?.resume()
    }
  }

  private func joined(_ call: CancelledCall, _ resumption: Resumption) -> Bool {
    SchedulePoint.insideRuntime {
      lock.withLock {
        guard isBusyWhileLocked, !call.isCancelled else { return false }
        resumptions[ObjectIdentifier(call)] = resumption
        return true
      }
    }
  }

  private func left(_ call: CancelledCall) -> Resumption? {
    lock.withLock {
      call.isCancelled = true
      return resumptions.removeValue(forKey: ObjectIdentifier(call))
    }
  }

  /// A call of `idle`. Its caller may be cancelled before the call waits.
  // @unchecked: the lock of the record guards `isCancelled`.
  private final class CancelledCall: @unchecked Sendable {
    // Guarded by `lock` of the record.
    var isCancelled = false
  }
}
