import ActorBindings

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Runs jobs that block, in the order of their arrival, on threads of its own. A thread ends once no job waits.
// @unchecked: `lock` guards the variables.
final class Threads: @unchecked Sendable {
  struct Job: Sendable {
    var run: @Sendable () -> Void
    /// Called instead of `run` if there is no thread, with the reason.
    var refuse: @Sendable (String) -> Void
  }

  private let limit: Int
  private let refusesMore: Bool
  private let lock = Lock()
  // Guarded by `lock`. Jobs wait in two stacks, so that adding and taking one costs the same however many wait.
  private var arriving: [Job] = []
  private var leaving: [Job] = []
  private var count = 0
  private var waiting: Int { arriving.count + leaving.count }
  // The number of threads that run a job.
  private var busy = 0

  /// - Parameters:
  ///   - limit: The largest number of threads at once.
  ///   - refusesMore: Whether a job is refused if all threads have jobs; otherwise it waits.
  init(limit: Int, refusesMore: Bool = false) {
    self.limit = limit
    self.refusesMore = refusesMore
  }

  /// Runs a job once a thread is free.
  func run(_ job: Job) {
    let arrival = lock.withLock {
      if refusesMore, busy + waiting >= limit { return Arrival.refused }
      arriving.append(job)
      if count == limit { return .waits }
      count += 1
      return .needsThread
    }
    switch arrival {
    case .refused: job.refuse("\(limit) streams are open, which is the most: put the keys into fewer folders")
    case .waits: break
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

  private enum Arrival { case refused, waits, needsThread }

  private func work() {
    while let job = lock.withLock({ takeOrEnd() }) {
      job.run()
      lock.withLock { busy -= 1 }
    }
  }

  private func takeOrEnd() -> Job? {
    if leaving.isEmpty {
      leaving = arriving.reversed()
      arriving = []
    }
    let job = leaving.popLast()
    if job == nil { count -= 1 } else { busy += 1 }
    return job
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
