/// The record of a task of the library that works for a cell: it runs a function of the user, or waits for a clock.
///
/// The test kit waits for such tasks. The library records them only in programs that contain the kit, because a record
/// costs about a tenth of what the task costs.
///
/// ### States
/// - *busy*: the task runs, or waits for something that the test kit does not know, such as an answer from a server.
/// - *waiting*: the task itself waits at a clock or a gate of the test kit, for time, or for the next element of a
///   sequence.
/// - *woken*: busy, because another thread has woken the task and it has not run since. An outer wait may still count:
///   the task may sleep while it waits for an element.
/// - *cancelled*: busy until the end. The task ends soon, whatever it waits for.
/// - *ended*
///
/// ### Transitions
/// | event | busy | waiting | woken | cancelled |
/// |---|---|---|---|---|
/// | `waitBegan` | waiting | one wait more | waiting | the same |
/// | `waitEnded` | – | one wait less; busy after the last one | the same with the waits that are left | the same |
/// | `wasWoken` | woken | woken, one wait less | one wait less | the same |
/// | `wasCancelled` | cancelled | cancelled | cancelled | the same |
/// | `ended` | ended | ended | ended | ended |
///
/// The task itself calls `waitBegan` and `waitEnded`. A thread that wakes the task calls `wasWoken` before it resumes the
/// task, so a task that is about to run is busy. That thread may be so fast that the task calls `waitBegan` later: then
/// the number of waits is negative for a moment.
///
/// A child of the task may wait at a clock while the task does other work. So the waits of children do not count.
// @unchecked: `lock` guards the variables.
package final class CellTask: @unchecked Sendable {
  // The record of the task that runs, or of the task of which it is a child.
  @TaskLocal private static var current: CellTask?

  private static let records = KitRecords<CellTask>()

  /// The records of the tasks that have not ended, in no order.
  package static var all: [CellTask] { records.all }

  /// The cell; nil if it was deallocated. A record does not keep the cell alive.
  package weak let cell: AnyCell?

  private let lock = Lock()
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

  private init(for cell: AnyCell) {
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
    record.runs(as: callerID)
    return await $current.withValue(record, operation: body)
  }

  private func runs(as id: Int?) {
    SchedulePoint.insideRuntime { lock.withLock { taskID = id } }
  }

  /// The record of the caller; nil if the caller is no task of the library, or a child of one.
  package static var ofCaller: CellTask? {
    guard let record = current, record.isOwn else { return nil }
    return record
  }

  package func ended() {
    changed { hasEnded = true }
    Self.records.remove(self)
  }

  package func waitBegan() {
    changed {
      waits += 1
      isWoken = waits <= 0 && isWoken
    }
  }

  package func waitEnded() {
    changed {
      waits -= 1
      isWoken = false
    }
  }

  /// Another thread is about to resume the task.
  package func wasWoken() {
    changed {
      waits -= 1
      isWoken = true
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

  private var isBusyWhileLocked: Bool { !hasEnded && (isCancelled || isWoken || waits <= 0) }

  package var isBusy: Bool { SchedulePoint.insideRuntime { lock.withLock { isBusyWhileLocked } } }

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
