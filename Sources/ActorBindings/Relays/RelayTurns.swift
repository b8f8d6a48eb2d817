/// Runs the work of one driver of a relay, one piece at a time.
///
/// The problem: the readers, the timer and the tasks of a driver share the driver's state, and the driver must write
/// the relay's cell in order. An actor would serve, but the runtime enters an actor only from a task: each value would
/// cost a task and a hop to another thread, even if the work takes less time than that. A lock would serve too, but
/// then operators and handlers would run under it. So a thread with work either does the work at once, or leaves it
/// here, if another thread is at work. A thread does only its own piece of work: jobs do what other threads have left.
/// Otherwise the thread of one writer would do the work of all other writers, as long as they write.
// @unchecked: `lock` guards `state`.
@usableFromInline
package final class RelayTurns: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`, so Swift need not check for overlapping accesses.
  @exclusivity(unchecked) private var state = RelayTurnState<RelayWork>()

  @usableFromInline
  package init() {}

  /// Does the work on this thread, or leaves it to a later job, if another thread is at work. Never called under a
  /// lock.
  @usableFromInline
  package func perform(_ work: RelayWork) {
    if lock.withLock({ unsafe state.workCame(work) }) { run(work) }
  }

  /// Does the work in a job.
  func enqueue(_ work: RelayWork) {
    // Detached: the job inherits neither the task-local values nor the priority of the writer.
    Task.detached { self.perform(work) }
  }

  private func run(_ work: RelayWork) {
    switch work {
    case .turn(let reader, let onWriter): reader.runTurn(isShort: onWriter)
    case .nextTurn(let reader): reader.runNextTurn()
    case .call(let function): function()
    }
    guard let next = lock.withLock({ unsafe state.workDone() }) else { return }
    Task.detached { self.run(next) }
  }
}

/// A piece of work of a relay.
@usableFromInline
package enum RelayWork: Sendable {
  /// A turn of a reader. A turn on the thread of a writer is short.
  case turn(RelayReader, onWriter: Bool = false)
  /// A turn for which the reader itself has asked.
  case nextTurn(RelayReader)
  /// A call of a function of the driver: its timer has fired, or a task of the driver has ended.
  case call(@Sendable () -> Void)
}
