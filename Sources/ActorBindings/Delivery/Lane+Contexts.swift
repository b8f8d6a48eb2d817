internal import Dispatch

// There is one subclass of `Lane` for each place. Each subclass keeps its place as a property, not as an enum: a lane is
// enqueued for each update, and to read a payload of an enum is to copy it, which counts the payload's references.
extension Lane {
  /// Creates a lane of `cell` on `context`, whose observations have seen `version`.
  static func make(on context: DeliveryContext, of cell: AnyCell, version: UInt64) -> Lane {
    let key = context.key
    switch context.place {
    case .host: return HostLane(key, of: cell, version: version)
    case .writer: return WriterLane(key, of: cell, version: version)
    case .actor(let actor): return ActorLane(actor, key, of: cell, version: version)
    case .queue(let queue): return QueueLane(queue, key, of: cell, version: version)
    case .taskExecutor(let executor): return TaskExecutorLane(executor, key, of: cell, version: version)
    case .serialExecutor(let actor): return SerialExecutorLane(actor, key, of: cell, version: version)
    case .custom(let identity, let schedule):
      return CustomLane(identity, schedule: schedule, key, of: cell, version: version)
    }
  }

  /// Returns the time of a monotonic clock, in nanoseconds. The clock stands still while the explorer runs a schedule,
  /// because each repetition of a schedule must end its turns at the same calls.
  static func monotonicTime() -> UInt64 {
    SchedulePoint.isExploring ? 0 : DispatchTime.now().uptimeNanoseconds
  }
}

/// The lane on the actor to which the cell belongs.
final class HostLane: Lane, @unchecked Sendable {
  override var place: String { DeliveryContext.describedHost }

  override var mayRunAtOnce: Bool { false }

  override func enqueue() {
    // The host is gone, so the cell has ended, and no isolation is left on which to call a handler. The observations
    // on the host have received everything: otherwise a job would be under way, and would hold the host.
    guard let host = cell.host else { return abandon(as: Observation.Status.finished) }
    enqueue(on: host)
  }
}

/// A lane on the thread of the writer.
final class WriterLane: Lane, @unchecked Sendable {
  override var place: String { DeliveryContext.describedWriter }

  override func enqueue() { runTurn() }
}

/// A lane on an actor, which the lane does not keep alive.
final class ActorLane: Lane, @unchecked Sendable {
  override var place: String { weakly.description }

  private let weakly: WeakActor

  init(_ actor: WeakActor, _ key: ContextKey, of cell: AnyCell, version: UInt64) {
    weakly = actor
    super.init(key, of: cell, version: version)
  }

  override var hasContext: Bool { weakly.actor != nil }
  override var contextHasOwner: Bool { true }

  override func enqueue() {
    if let actor = weakly.actor { enqueue(on: actor) } else { abandon() }
  }
}

/// A lane on a Dispatch queue.
final class QueueLane: Lane, @unchecked Sendable {
  override var place: String { DeliveryContext.described(queue) }

  private let queue: DispatchQueue

  init(_ queue: DispatchQueue, _ key: ContextKey, of cell: AnyCell, version: UInt64) {
    self.queue = queue
    super.init(key, of: cell, version: version)
  }

  override var mayRunAtOnce: Bool { false }

  override func enqueue() {
    queue.async { self.runTurn() }
  }
}

/// A lane on a task executor.
final class TaskExecutorLane: Lane, @unchecked Sendable {
  override var place: String { DeliveryContext.described(executor) }

  private let executor: any TaskExecutor

  init(_ executor: any TaskExecutor, _ key: ContextKey, of cell: AnyCell, version: UInt64) {
    self.executor = executor
    super.init(key, of: cell, version: version)
  }

  override func enqueue() {
    Task.detached(executorPreference: executor) { self.runTurn() }
  }
}

/// A lane on a serial executor.
final class SerialExecutorLane: Lane, @unchecked Sendable {
  override var place: String { DeliveryContext.describedSerialExecutor }

  private let actor: SerialExecutorActor

  init(_ actor: SerialExecutorActor, _ key: ContextKey, of cell: AnyCell, version: UInt64) {
    self.actor = actor
    super.init(key, of: cell, version: version)
  }

  override func enqueue() {
    enqueue(on: actor)
  }
}

/// A lane on a context that user code has created.
final class CustomLane: Lane, @unchecked Sendable {
  override var place: String { identity.description }

  private let identity: ContextIdentity
  private let schedule: @Sendable (@escaping @Sendable () -> Void) -> Void

  init(
    _ identity: ContextIdentity,
    schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
    _ key: ContextKey,
    of cell: AnyCell,
    version: UInt64
  ) {
    self.identity = identity
    self.schedule = schedule
    super.init(key, of: cell, version: version)
  }

  override var now: UInt64 { identity.now() }

  override func enqueue() {
    let turn = ScheduledTurn(of: self)
    schedule { turn.start() }
  }
}

extension Lane {
  // Enqueues one job directly on the actor. The job holds the actor until it has run.
  fileprivate func enqueue(on actor: any Actor) {
    typealias Isolated = (isolated any Actor, Lane) -> Void
    typealias Plain = (any Actor, Lane) -> Void
    let enqueue: Isolated = { actor, lane in
      // A detached task, so that the job inherits neither the task-local values nor the priority of the writer.
      nonisolated(unsafe) let job = Self.job(on: actor, lane)
      unsafe Task.detached(operation: job)
    }
    // Sound, because the function touches no state of the actor: it only makes a task that is isolated to the actor.
    unsafe unsafeBitCast(enqueue, to: Plain.self)(actor, self)
  }

  private static func job(on actor: isolated any Actor, _ lane: Lane) -> @isolated(any) () async -> Void {
    {
      _ = actor
      lane.runTurn()
    }
  }
}
