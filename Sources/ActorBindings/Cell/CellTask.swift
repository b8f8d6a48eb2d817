/// A task of the library that works for a cell: it runs a function of the user, or waits for a clock.
///
/// The test kit waits for such tasks. The library records them only in programs that contain the kit, because a record
/// costs about as much as a tenth of the task.
///
/// ### States
/// - *busy*: the task runs, or waits for something that the test kit does not know, such as an answer from a server.
/// - *waiting*: the task, or a child of it, waits at a clock or a gate of the test kit, so only the test can wake it.
/// - *ended*
///
/// ### Transitions
/// | event | busy | waiting | ended |
/// |---|---|---|---|
/// | `waitBegan` | waiting | one wait more | – |
/// | `waitEnded` | see below | one wait less; busy after the last one | – |
/// | `ended` | ended | ended | the same |
///
/// A thread that wakes the task ends the wait before it resumes the task. So a task that is about to run is busy. That
/// thread may be so fast that it ends the wait before the wait has begun: then the number of waits is negative for a
/// moment.
// @unchecked: `lock` guards the variables.
package final class CellTask: @unchecked Sendable {
  /// The record of the task that runs; nil if it is no task of the library.
  @TaskLocal package static var current: CellTask?

  private static let records = KitRecords<CellTask>()

  /// The records of the tasks that have not ended, in no order.
  package static var all: [CellTask] { records.all }

  /// The cell; nil if it was deallocated. A record holds no cell, so that it changes the life of none.
  package weak let cell: AnyCell?

  private let lock = Lock()
  // Guarded by `lock`.
  private var waits = 0
  // Guarded by `lock`.
  private var hasEnded = false
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
    return await $current.withValue(record, operation: body)
  }

  package func ended() {
    changed { hasEnded = true }
    Self.records.remove(self)
  }

  package func waitBegan() {
    changed { waits += 1 }
  }

  package func waitEnded() {
    SchedulePoint.insideRuntime { lock.withLock { waits -= 1 } }
  }

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

  private var isBusyWhileLocked: Bool { !hasEnded && waits <= 0 }

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
