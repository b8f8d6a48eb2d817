#if Explorer
  import Foundation
  import Synchronization

  /// What all explorations of a process share.
  extension Exploration {
    static let environment = ProcessInfo.processInfo.environment
    /// With `ACTORBINDINGS_HUNT=1` all explorations end at the first failure, which has found a planted fault.
    static let isHunt = environment["ACTORBINDINGS_HUNT"] != nil

    private static let turn = NSLock()
    private static let hasFailed = Atomic(false)
    private static let claimed = Mutex<Set<String>>([])

    /// Runs `body` when no other exploration of this process runs. Returns nil where the runtime offers no hook, after
    /// saying so.
    static func exclusively<Result>(
      _ body: () throws(ScheduleFailure) -> Result
    ) throws(ScheduleFailure) -> Result? {
      precondition(Strand.current == nil, "a program that is explored cannot explore another program")
      turn.lock()
      defer { turn.unlock() }
      guard Explorer.isAvailable else {
        print("nothing is explored: this Swift runtime has no hook for jobs (swift_task_enqueueGlobal_hook)")
        return nil
      }
      return try body()
    }

    static var isOver: Bool { isHunt && hasFailed.load(ordering: .relaxed) }

    static func setOver() {
      hasFailed.store(true, ordering: .relaxed)
    }

    /// Returns whether another process explores the program. Several processes divide the programs: a process claims a
    /// program by a file with the program's name in the folder `ACTORBINDINGS_SHARE`.
    static func isElsewhere(_ name: String) -> Bool {
      guard let folder = environment["ACTORBINDINGS_SHARE"] else { return false }
      precondition(
        claimed.withLock { $0.insert(name).inserted },
        "two explorations have the name '\(name)', so processes cannot divide them"
      )
      let file = "\(folder)/\(name.replacing("/", with: "_"))"
      let descriptor = open(file, O_CREAT | O_EXCL | O_WRONLY, 0o644)
      if descriptor >= 0 { close(descriptor) }
      return descriptor < 0 && errno == EEXIST
    }
  }

  /// Says on the standard error how far a long exploration is.
  struct Progress {
    private let name: String
    private let clock = ContinuousClock()
    private let begin: ContinuousClock.Instant
    private var next = Self.interval

    private static let interval = Duration.seconds(5)

    init(name: String) {
      self.name = name
      begin = clock.now
    }

    var elapsed: Duration { clock.now - begin }

    mutating func ran(_ schedules: Int) {
      let elapsed = elapsed
      guard elapsed >= next else { return }
      next = elapsed + Self.interval
      try? FileHandle.standardError.write(
        contentsOf: Data(
          "exploring \(name): \(schedules) schedules in \(elapsed.components.seconds) s …\n".utf8
        )
      )
    }
  }
#endif
