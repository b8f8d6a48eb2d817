import ActorBindings
import Dispatch

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Runs jobs that block, in the order of their arrival, on threads of its own.
///
/// A thread that finds no job waits for the next one: to start a thread for each request takes a tenth of the time of a
/// write. It ends after `longestWait`, or with `end`. The thread that worked last gets the next job, so that the others
/// can end.
// @unchecked: `lock` guards the variables.
package final class Threads: @unchecked Sendable {
  package struct Job: Sendable {
    var run: @Sendable () -> Void
    /// Called instead of `run` if there is no thread, with the reason.
    var refuse: @Sendable (String) -> Void

    package init(run: @escaping @Sendable () -> Void, refuse: @escaping @Sendable (String) -> Void) {
      self.run = run
      self.refuse = refuse
    }
  }

  /// A thread, which waits on `wake` while it is among the idle ones.
  // @unchecked: the lock of the threads guards the variable.
  private final class Worker: @unchecked Sendable {
    let wake = DispatchSemaphore(value: 0)
    var job: Job?
  }

  private let limit: Int
  private let refusesMore: Bool
  private let longestWait: Duration
  private let lock = Lock()
  // Guarded by `lock`. Jobs wait in two stacks, so that adding and taking one costs the same however many wait.
  private var arriving: [Job] = []
  private var leaving: [Job] = []
  // The threads without a job. Jobs wait only while there are none of these.
  private var idle: [Worker] = []
  private var count = 0
  private var hasEnded = false
  private var waiting: Int { arriving.count + leaving.count }
  // The number of threads that run a job, or are about to.
  private var busy = 0

  /// - Parameters:
  ///   - limit: The largest number of threads at once.
  ///   - refusesMore: Whether a job is refused if all threads have jobs; otherwise it waits.
  ///   - longestWait: The time after which a thread without a job ends.
  package init(limit: Int, refusesMore: Bool = false, longestWait: Duration = .seconds(15)) {
    self.limit = limit
    self.refusesMore = refusesMore
    self.longestWait = longestWait
  }

  /// The number of threads that wait for a job.
  package var idleCount: Int { lock.withLock { idle.count } }

  /// Whether a job would wait for a thread.
  var isFull: Bool { lock.withLock { busy + waiting >= limit } }

  /// Runs a job once a thread is free.
  package func run(_ job: Job) {
    switch lock.withLock({ arrive(job) }) {
    case .refused: job.refuse("\(limit) streams are open, which is the most: put the keys into fewer folders")
    case .waits: break
    case .wakes(let worker): worker.wake.signal()
    case .needsThread:
      if Self.start({ self.work() }) { return }
      let refused = lock.withLock {
        count -= 1
        // If jobs may be refused, none waits for the end of another one, which could take for ever.
        return count == 0 || refusesMore ? takeAll() : []
      }
      for job in refused { job.refuse("the system has no thread left") }
    }
  }

  /// Ends the threads that have no job, and the others after theirs.
  package func end() {
    let workers = lock.withLock {
      defer { idle = [] }
      hasEnded = true
      count -= idle.count
      return idle
    }
    for worker in workers { worker.wake.signal() }
  }

  private enum Arrival: Sendable { case refused, waits, wakes(Worker), needsThread }

  private func arrive(_ job: Job) -> Arrival {
    if refusesMore, busy + waiting >= limit { return .refused }
    if let worker = idle.popLast() {
      worker.job = job
      busy += 1
      return .wakes(worker)
    }
    arriving.append(job)
    if count == limit { return .waits }
    count += 1
    return .needsThread
  }

  private func work() {
    let worker = Worker()
    while let job = nextJob(of: worker) {
      job.run()
      lock.withLock { busy -= 1 }
    }
  }

  /// Waits for a job. Returns nil if the thread must end.
  private func nextJob(of worker: Worker) -> Job? {
    let (job, waits) = lock.withLock { takeOrWait(worker) }
    guard waits else { return job }
    let isAwake = worker.wake.wait(timeout: .now() + longestWait / .seconds(1)) == .success
    let assigned = lock.withLock { () -> Job? in
      if !isAwake, let position = idle.firstIndex(where: { $0 === worker }) {
        idle.remove(at: position)
        count -= 1
      }
      return worker.job.take()
    }
    // A job was assigned at the last moment: its signal must not wake the next wait.
    if !isAwake, assigned != nil { worker.wake.wait() }
    return assigned
  }

  private func takeOrWait(_ worker: Worker) -> (Job?, waits: Bool) {
    if leaving.isEmpty {
      leaving = arriving.reversed()
      arriving = []
    }
    if let job = leaving.popLast() {
      busy += 1
      return (job, false)
    }
    if hasEnded {
      count -= 1
      return (nil, false)
    }
    idle.append(worker)
    return (nil, true)
  }

  private func takeAll() -> [Job] {
    defer { (arriving, leaving) = ([], []) }
    return leaving.reversed() + arriving
  }

  /// Starts a thread. Returns false if the system has none left.
  private static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let box = unsafe Unmanaged.passRetained(Body(body)).toOpaque()
    #if canImport(Darwin)
      var thread: pthread_t?
      let code = unsafe pthread_create(&thread, nil, { unsafe Body.run($0) }, box)
      if code == 0, let thread = unsafe thread { unsafe pthread_detach(thread) }
    #else
      var thread = pthread_t()
      let code = unsafe pthread_create(&thread, nil, { unsafe $0.flatMap { unsafe Body.run($0) } }, box)
      if code == 0 { pthread_detach(thread) }
    #endif
    if code != 0 { unsafe Unmanaged<Body>.fromOpaque(box).release() }
    return code == 0
  }

  private final class Body: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
      self.body = body
    }

    static func run(_ box: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
      unsafe Unmanaged<Body>.fromOpaque(box).takeRetainedValue().body()
      return nil
    }
  }
}
