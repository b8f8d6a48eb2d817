import Dispatch

/// A task executor that a test pumps by hand: it shows resumed jobs at once, and runs them when the test says so.
final class ManualExecutor: TaskExecutor {
  private let jobs = Guarded<[UnownedJob]>([])
  private let enqueued = Counter()

  var pending: Int { jobs.withLock { $0.count } }

  /// The number of all jobs that this executor has received.
  var total: Int { enqueued.value }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    enqueued.add()
    jobs.withLock { $0.append(job) }
  }

  /// Runs waiting jobs until there are none.
  func run() {
    while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
      unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}

/// A task executor that is a Dispatch queue.
final class QueueTaskExecutor: TaskExecutor {
  let queue: DispatchQueue

  init(_ queue: DispatchQueue) {
    self.queue = queue
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}

/// A serial executor that is a serial Dispatch queue.
final class QueueSerialExecutor: SerialExecutor {
  let queue = DispatchQueue(label: "serial executor")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
  }

  func checkIsolated() {
    dispatchPrecondition(condition: .onQueue(queue))
  }
}
