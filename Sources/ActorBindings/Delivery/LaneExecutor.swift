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
  case custom(ContextIdentity, @Sendable (@escaping @Sendable () -> Void) -> Void)
}

/// An actor on whose isolation handlers run, and which they do not keep alive.
struct WeakActor: Sendable {
  weak let actor: (any Actor)?

  init(_ actor: any Actor) {
    self.actor = actor
  }
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

/// A lane as its context sees it: something to run.
@usableFromInline
package class LaneJob: Waiter, @unchecked Sendable {
  let executor: LaneExecutor

  init(executor: LaneExecutor) {
    self.executor = executor
  }

  /// Serves the observations. On the context.
  func run() { preconditionFailure("\(type(of: self)) does not know what to run") }

  /// The actor whose cell it is, while it lives.
  var host: (any Actor)? { preconditionFailure("\(type(of: self)) does not know its cell") }

  /// The context is gone, or has dropped the work: nothing runs there any more.
  func abandon() { preconditionFailure("\(type(of: self)) does not know how to end") }

  package final override func wake() {
    switch executor {
    case .host:
      if let host { Self.run(self, on: host) } else { abandon() }
    case .actor(let weakly):
      if let actor = weakly.actor { Self.run(self, on: actor) } else { abandon() }
    case .queue(let queue):
      queue.async { self.run() }
    case .taskExecutor(let executor):
      Task.detached(executorPreference: executor) { self.run() }
    case .serialExecutor(let host):
      Self.run(self, on: host)
    case .custom(_, let schedule):
      let ticket = Ticket(self)
      schedule { ticket.redeem() }
    }
  }

  // Enqueues one job, directly on the actor; it is the job that holds the actor, until it has run.
  private static func run(_ lane: LaneJob, on actor: any Actor) {
    typealias Isolated = (isolated any Actor, LaneJob) -> Void
    typealias Plain = (any Actor, LaneJob) -> Void
    let enqueue: Isolated = { actor, lane in
      // No task-local values and no priority of whoever happened to write.
      nonisolated(unsafe) let operation = isolatedOperation(actor, lane)
      unsafe Task.detached(operation: operation)
    }
    // `enqueue` uses nothing of the actor: it makes a task that is isolated to it.
    unsafe unsafeBitCast(enqueue, to: Plain.self)(actor, lane)
  }

  private static func isolatedOperation(
    _ actor: isolated any Actor,
    _ lane: LaneJob
  ) -> @isolated(any) () async -> Void {
    {
      _ = actor
      lane.run()
    }
  }

  /// One run that a custom context owes. If it is dropped instead, the lane learns of it.
  private final class Ticket: Sendable {
    private let lane: LaneJob
    private let isRedeemed = Atomic(false)

    init(_ lane: LaneJob) {
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
