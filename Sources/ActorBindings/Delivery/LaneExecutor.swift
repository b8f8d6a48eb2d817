internal import Dispatch
internal import Synchronization

/// How a lane gets onto its context.
enum LaneExecutor: Sendable {
  /// The actor whose cell it is.
  case host
  case actor(WeakActor)
  case queue(DispatchQueue)
  case taskExecutor(any TaskExecutor)
  case serialExecutor(SerialLane)
  /// A context that a user has made. The lanes of equal ids are one as long as the identity lives.
  case custom(ContextIdentity, schedule: @Sendable (@escaping @Sendable () -> Void) -> Void)
}

/// An actor on whose isolation handlers run, and which they do not keep alive.
struct WeakActor: Sendable {
  private weak let mortal: (any Actor)?
  // The main actor lives for ever; a weak reference to it costs more, and is a leak in a sanitizer's eyes.
  private let immortal: MainActor?

  init(_ actor: any Actor) {
    immortal = actor === MainActor.shared ? MainActor.shared : nil
    mortal = immortal == nil ? actor : nil
  }

  var actor: (any Actor)? { immortal ?? mortal }
}

/// Lets jobs run on a serial executor.
actor SerialLane {
  private let executor: any SerialExecutor

  init(_ executor: any SerialExecutor) {
    self.executor = executor
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }
}

extension LaneExecutor {
  /// Whether there is still somewhere to run.
  var isAlive: Bool {
    if case .actor(let weakly) = self { weakly.actor != nil } else { true }
  }

  /// Whether what runs there may outlive what it runs on.
  var hasOwner: Bool {
    if case .actor = self { true } else { false }
  }

  /// Whether what is enqueued there may run at once, on the stack of the caller.
  var mayRunAtOnce: Bool {
    switch self {
    case .host, .queue: false
    case .actor, .taskExecutor, .serialExecutor, .custom: true
    }
  }

  /// The time, in nanoseconds, by which the length of a turn is measured.
  var now: UInt64 {
    if case .custom(let identity, _) = self { identity.now() } else { Self.monotonicTime() }
  }

  /// Stands still while schedules are explored: a turn must end at the same call each time.
  static func monotonicTime() -> UInt64 {
    SchedulePoint.isExploring ? 0 : DispatchTime.now().uptimeNanoseconds
  }

  /// Has `lane` run, or abandoned if there is nowhere to run. Never under a lock.
  func enqueue(_ lane: Lane, host: @autoclosure () -> (any Actor)?) {
    switch self {
    case .host:
      // Without a host the cell has ended, and there is nowhere to call anybody. Who was there before was handed
      // everything, or a job would hold the host.
      guard let host = host() else { return lane.abandon(as: Observation.Status.finished) }
      Self.enqueue(lane, on: host)
    case .actor(let weakly):
      if let actor = weakly.actor { Self.enqueue(lane, on: actor) } else { lane.abandon() }
    case .queue(let queue):
      queue.async { lane.run() }
    case .taskExecutor(let executor):
      Task.detached(executorPreference: executor) { lane.run() }
    case .serialExecutor(let host):
      Self.enqueue(lane, on: host)
    case .custom(_, let schedule):
      let ticket = Ticket(lane)
      schedule { ticket.redeem() }
    }
  }

  // One job, directly on the actor. It is the job that holds the actor, until it has run.
  private static func enqueue(_ lane: Lane, on actor: any Actor) {
    typealias Isolated = (isolated any Actor, Lane) -> Void
    typealias Plain = (any Actor, Lane) -> Void
    let enqueue: Isolated = { actor, lane in
      // Detached: neither the task-local values nor the priority of whoever happened to write.
      nonisolated(unsafe) let job = job(on: actor, lane)
      unsafe Task.detached(operation: job)
    }
    // It touches nothing of the actor: it makes a task that is isolated to it.
    unsafe unsafeBitCast(enqueue, to: Plain.self)(actor, lane)
  }

  private static func job(on actor: isolated any Actor, _ lane: Lane) -> @isolated(any) () async -> Void {
    {
      _ = actor
      lane.run()
    }
  }

  /// One run that a custom context owes. If it is dropped instead, the lane learns of it.
  private final class Ticket: Sendable {
    private let lane: Lane
    private let isRedeemed = Atomic(false)

    init(_ lane: Lane) {
      self.lane = lane
    }

    deinit {
      if !isRedeemed.load(ordering: .acquiring) { lane.abandon() }
    }

    func redeem() {
      guard !isRedeemed.exchange(true, ordering: .acquiringAndReleasing) else { return }
      lane.run()
    }
  }
}
