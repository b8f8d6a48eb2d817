internal import Dispatch
internal import Synchronization

/// How a lane gets onto its context.
enum LaneExecutor: Sendable {
  /// The actor to which the cell belongs.
  case host
  case actor(WeakActor)
  case queue(DispatchQueue)
  case taskExecutor(any TaskExecutor)
  case serialExecutor(SerialExecutorActor)
  /// A context that user code has created. In one cell, contexts with equal ids share one lane, because they share one
  /// `ContextIdentity`.
  case custom(ContextIdentity, schedule: @Sendable (@escaping @Sendable () -> Void) -> Void)
}

/// A reference to an actor on whose isolation handlers run. The reference does not keep the actor alive.
struct WeakActor: Sendable {
  private weak let weakActor: (any Actor)?
  // A strong reference, because the main actor lives for ever. A weak reference would cost more, and a sanitizer would
  // report it as a leak.
  private let mainActor: MainActor?

  init(_ actor: any Actor) {
    mainActor = actor === MainActor.shared ? MainActor.shared : nil
    weakActor = mainActor == nil ? actor : nil
  }

  var actor: (any Actor)? { mainActor ?? weakActor }
}

/// Lets jobs run on a serial executor.
actor SerialExecutorActor {
  private let executor: any SerialExecutor

  init(_ executor: any SerialExecutor) {
    self.executor = executor
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }
}

extension LaneExecutor {
  /// Whether the context still exists.
  var isAlive: Bool {
    if case .actor(let weakly) = self { weakly.actor != nil } else { true }
  }

  /// Whether an observation may outlive the context on which its handler runs.
  var hasOwner: Bool {
    if case .actor = self { true } else { false }
  }

  /// Whether an enqueued lane may run at once, on the stack of the caller.
  var mayRunAtOnce: Bool {
    switch self {
    case .host, .queue: false
    case .actor, .taskExecutor, .serialExecutor, .custom: true
    }
  }

  /// The current time, in nanoseconds, for measuring the length of a turn.
  var now: UInt64 {
    if case .custom(let identity, _) = self { identity.now() } else { Self.monotonicTime() }
  }

  /// Returns the time of a monotonic clock, in nanoseconds. The clock stands still while the explorer runs a schedule,
  /// because each repetition of a schedule must end its turns at the same calls.
  static func monotonicTime() -> UInt64 {
    SchedulePoint.isExploring ? 0 : DispatchTime.now().uptimeNanoseconds
  }

  /// Makes the context run a turn of `lane`, or abandons the lane if its context is gone. Never called under a lock.
  func enqueue(_ lane: Lane, host: @autoclosure () -> (any Actor)?) {
    switch self {
    case .host:
      // The host is gone, so the cell has ended, and no isolation is left on which to call a handler. The observations
      // on the host have received everything: otherwise a job would be under way, and would hold the host.
      guard let host = host() else { return lane.abandon(as: Observation.Status.finished) }
      Self.enqueue(lane, on: host)
    case .actor(let weakly):
      if let actor = weakly.actor { Self.enqueue(lane, on: actor) } else { lane.abandon() }
    case .queue(let queue):
      queue.async { lane.runTurn() }
    case .taskExecutor(let executor):
      Task.detached(executorPreference: executor) { lane.runTurn() }
    case .serialExecutor(let host):
      Self.enqueue(lane, on: host)
    case .custom(_, let schedule):
      let turn = ScheduledTurn(lane)
      schedule { turn.start() }
    }
  }

  // Enqueues one job directly on the actor. The job holds the actor until it has run.
  private static func enqueue(_ lane: Lane, on actor: any Actor) {
    typealias Isolated = (isolated any Actor, Lane) -> Void
    typealias Plain = (any Actor, Lane) -> Void
    let enqueue: Isolated = { actor, lane in
      // A detached task, so that the job inherits neither the task-local values nor the priority of the writer.
      nonisolated(unsafe) let job = job(on: actor, lane)
      unsafe Task.detached(operation: job)
    }
    // Sound, because the function touches no state of the actor: it only makes a task that is isolated to the actor.
    unsafe unsafeBitCast(enqueue, to: Plain.self)(actor, lane)
  }

  private static func job(on actor: isolated any Actor, _ lane: Lane) -> @isolated(any) () async -> Void {
    {
      _ = actor
      lane.runTurn()
    }
  }

  /// One turn that a custom context owes to a lane. If the context drops this object without running the turn, the
  /// object abandons the lane.
  private final class ScheduledTurn: Sendable {
    private let lane: Lane
    private let hasStarted = Atomic(false)

    init(_ lane: Lane) {
      self.lane = lane
    }

    deinit {
      if !hasStarted.load(ordering: .acquiring) { lane.abandon() }
    }

    func start() {
      guard !hasStarted.exchange(true, ordering: .acquiringAndReleasing) else { return }
      lane.runTurn()
    }
  }
}
