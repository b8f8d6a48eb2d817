#if Explorer
  import Foundation

  /// The processor on which all strands run.
  ///
  /// One strand runs at a time, so a second processor gains nothing. Waking a thread on another processor takes longer
  /// than most steps of a program. `ACTORBINDINGS_CORE=1` chooses processor 1, so that two processes can explore at the
  /// same time.
  enum Core {
    private static let number: Int = {
      let given = ProcessInfo.processInfo.environment["ACTORBINDINGS_CORE"].flatMap { Int($0) }
      return (given ?? Int(getpid())) % max(1, ProcessInfo.processInfo.processorCount)
    }()

    // Swift's module of the C library leaves out `sched_setaffinity`.
    private typealias SetAffinity = @convention(c) (pid_t, Int, UnsafePointer<UInt64>) -> Int32
    private static let setAffinity = dlsym(dlopen(nil, RTLD_LAZY), "sched_setaffinity").map {
      unsafeBitCast($0, to: SetAffinity.self)
    }

    /// Binds the calling thread to the processor of the strands, where the system allows it.
    static func pinThread() {
      var processors = [UInt64](repeating: 0, count: 16)
      guard number < 64 * processors.count else { return }
      processors[number / 64] = 1 << (number % 64)
      _ = setAffinity?(0, 8 * processors.count, processors)
    }
  }
#endif
