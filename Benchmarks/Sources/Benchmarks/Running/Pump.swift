import ActorBindings
import Synchronization

/// A task executor that is pumped by hand: its jobs run in `run`, on the calling thread. So the costs of the jobs can
/// be counted exactly.
// @unchecked: `queue` has a lock, because readers of relays enqueue from other threads; one thread uses `spare`.
class Pump: TaskExecutor, @unchecked Sendable {
  private struct Queue {
    var jobs: [UnownedJob] = []
    var count = 0
  }

  private let queue: Mutex<Queue>
  private var spare: [UnownedJob] = []
  /// The number of jobs that were enqueued.
  var count: Int { queue.withLock { $0.count } }

  init(room: Int = 1024) {
    var first = Queue()
    first.jobs.reserveCapacity(room)
    queue = Mutex(first)
    spare.reserveCapacity(room)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.withLock { queue in
      queue.count += 1
      queue.jobs.append(job)
    }
  }

  /// Runs jobs until there are none.
  func run() {
    while true {
      queue.withLock { swap(&$0.jobs, &spare) }
      if spare.isEmpty { return }
      for job in spare { run(job) }
      spare.removeAll(keepingCapacity: true)
    }
  }

  fileprivate func run(_ job: UnownedJob) {
    job.runSynchronously(on: asUnownedTaskExecutor())
  }
}

/// A serial executor that is pumped by hand.
final class SerialPump: Pump, SerialExecutor, @unchecked Sendable {
  override fileprivate func run(_ job: UnownedJob) {
    job.runSynchronously(on: asUnownedSerialExecutor())
  }
}

/// An actor on a pump.
actor PumpedActor {
  let pump: SerialPump

  init(_ pump: SerialPump) {
    self.pump = pump
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { pump.asUnownedSerialExecutor() }
}

/// A context for handlers that is pumped by hand.
// @unchecked: used by one thread.
final class PumpedContext: @unchecked Sendable {
  private var work: [@Sendable () -> Void] = []
  private var spare: [@Sendable () -> Void] = []
  /// The number of wake-ups.
  private(set) var count = 0

  init() {
    work.reserveCapacity(16)
    spare.reserveCapacity(16)
  }

  var context: DeliveryContext {
    DeliveryContext(id: ObjectIdentifier(self)) { [self] in schedule($0) }
  }

  func schedule(_ body: @escaping @Sendable () -> Void) {
    count += 1
    work.append(body)
  }

  /// Runs jobs until there are none.
  func run() {
    while !work.isEmpty {
      swap(&work, &spare)
      for run in spare { run() }
      spare.removeAll(keepingCapacity: true)
    }
  }
}

/// As `PumpedContext`, for rows in which other threads wake the context too: the jobs of a relay do.
// @unchecked: the mutex guards `work`, and only the thread that calls `run` uses `spare`.
final class SharedPumpedContext: @unchecked Sendable {
  private let work = Mutex<[@Sendable () -> Void]>([])
  private var spare: [@Sendable () -> Void] = []

  var context: DeliveryContext {
    DeliveryContext(id: ObjectIdentifier(self)) { [self] body in work.withLock { $0.append(body) } }
  }

  /// Runs jobs until there are none. Called by one thread.
  func run() {
    while true {
      work.withLock { swap(&$0, &spare) }
      if spare.isEmpty { return }
      for run in spare { run() }
      spare.removeAll(keepingCapacity: true)
    }
  }
}
