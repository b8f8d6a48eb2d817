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
    /// Called instead of `run` if there are no threads, because the system has none left.
    var refuse: @Sendable () -> Void
  }

  private let limit: Int
  private let lock = Lock()
  // Guarded by `lock`. Jobs wait in two stacks, so that adding and taking one costs the same however many wait.
  private var arriving: [Job] = []
  private var leaving: [Job] = []
  private var count = 0

  /// - Parameter limit: The largest number of threads at once.
  init(limit: Int) {
    self.limit = limit
  }

  /// Runs a job once a thread is free.
  func run(_ job: Job) {
    let startsThread = lock.withLock {
      arriving.append(job)
      if count == limit { return false }
      count += 1
      return true
    }
    if !startsThread || Self.start({ self.work() }) { return }
    let refused = lock.withLock {
      count -= 1
      return count == 0 ? takeAll() : []
    }
    for job in refused { job.refuse() }
  }

  private func work() {
    while let job = lock.withLock({ takeOrEnd() }) { job.run() }
  }

  private func takeOrEnd() -> Job? {
    if leaving.isEmpty {
      leaving = arriving.reversed()
      arriving = []
    }
    let job = leaving.popLast()
    if job == nil { count -= 1 }
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
