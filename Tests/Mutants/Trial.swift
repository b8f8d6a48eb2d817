import Foundation
import Synchronization

/// One run of the tests.
struct Trial {
  enum Outcome: Equatable {
    case passed
    /// Killed by a test, by a trap, or by a timeout.
    case failed(String)
    case crashed
    case hung
    /// No test executes the line.
    case unreached

    /// Whether no test noticed the change.
    var isSurvival: Bool { self == .passed || self == .unreached }

    var word: String {
      switch self {
      case .passed: "survives"
      case .failed: "test"
      case .crashed: "crash"
      case .hung: "hang"
      case .unreached: "unreached"
      }
    }
  }

  /// With glibc, these settings make a use of freed memory end the process at once, instead of reading the old content.
  static let freedMemoryIsOverwritten = [
    "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0:glibc.malloc.perturb=165"
  ]

  /// The arguments of the test program.
  let arguments: [String]
  /// The time limit, in seconds.
  var limit: Double
  let binary: String
  var variables: [String: String] = [:]

  // A process that uses no processor time for this number of seconds counts as hung.
  private static let longestIdleness = 3.0

  /// Runs the tests with one change switched on, up to the first failure.
  ///
  /// - Parameter core: The processor on which the explorer runs, so that two trials do not share one.
  func run(_ number: Int, core: Int) -> (Outcome, seconds: Double) {
    let begin = Date.now
    let process = Child(
      binary,
      arguments + ["--testing-library", "swift-testing"],
      number,
      variables: variables.merging(["ACTORBINDINGS_CORE": "\(core)"]) { $1 }
    )
    defer { process.end() }
    var idleSince = begin
    var work = -1
    while true {
      for line in process.lines(wait: 200) {
        if let name = line.firstMatch(of: /Test (.+) recorded an issue/) {
          return (.failed(String(name.1)), -begin.timeIntervalSinceNow)
        }
        if line.contains("SWIFT TASK CONTINUATION MISUSE") {
          return (.failed("a continuation was misused"), -begin.timeIntervalSinceNow)
        }
      }
      let seconds = -begin.timeIntervalSinceNow
      if process.hasEnded { return (process.status == 0 ? .passed : .crashed, seconds) }
      if let now = process.work, now != work { (work, idleSince) = (now, .now) }
      if seconds > limit || -idleSince.timeIntervalSinceNow > Self.longestIdleness { return (.hung, seconds) }
    }
  }
}

/// A process in a group of its own.
final class Child {
  private let id: pid_t
  private let output: Int32
  private var rest = ""
  private(set) var hasEnded = false
  private(set) var status: Int32 = 0

  /// - Parameter number: The number of the change that is switched on.
  init(_ binary: String, _ arguments: [String], _ number: Int, variables: [String: String] = [:]) {
    (id, output) = Self.running.withLock { running in
      let child = Self.start(binary, arguments, number, variables)
      running.insert(child.0)
      return child
    }
  }

  // Starts one process at a time: otherwise another process would inherit the pipe before the pipe is marked.
  private static let running = Mutex<Set<pid_t>>([])

  private static func start(
    _ binary: String,
    _ arguments: [String],
    _ number: Int,
    _ additions: [String: String]
  ) -> (pid_t, Int32) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { fatalError("no pipe: \(errno)") }
    ends.forEach { _ = fcntl($0, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2)
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    let environment = ProcessInfo.processInfo.environment.merging([
      "ACTORBINDINGS_MUTANT": "\(number)", "SWIFT_BACKTRACE": "enable=no", "NO_COLOR": "1",
      "SWIFT_DEBUG_VALIDATE_UNCHECKED_CONTINUATIONS": "1",
    ]) { $1 }.merging(additions) { $1 }
    var words = ([binary] + arguments).map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
    var id: pid_t = 0
    guard posix_spawn(&id, binary, &actions, &attributes, &words, &variables) == 0 else {
      fatalError("\(binary) does not start")
    }
    (words + variables).forEach { free($0) }
    posix_spawnattr_destroy(&attributes)
    posix_spawn_file_actions_destroy(&actions)
    close(ends[1])
    return (id, ends[0])
  }

  /// Returns the lines that the process has written. Waits for at most `milliseconds`.
  func lines(wait milliseconds: Int32) -> [String] {
    var request = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
    guard poll(&request, 1, milliseconds) > 0 else { return [] }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = read(output, &buffer, buffer.count)
    guard count > 0 else {
      waitpid(id, &status, 0)
      hasEnded = true
      // A shell and the loader return these statuses if they cannot run the program. Then no test has checked the
      // change.
      if [126, 127].contains(status >> 8) { Self.giveUp("the tests do not start: status \(status >> 8)") }
      return []
    }
    var lines = (rest + String(decoding: buffer[..<count], as: UTF8.self)).split(
      separator: "\n",
      omittingEmptySubsequences: false
    )
    rest = String(lines.removeLast())
    return lines.map(String.init)
  }

  /// The processor time that the process has used so far. Nil where it is not known.
  var work: Int? {
    guard let statistics = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8) else {
      return nil
    }
    let fields = statistics[(statistics.lastIndex(of: ")") ?? statistics.startIndex)...].split(separator: " ")
    return (Int(fields[12]) ?? 0) + (Int(fields[13]) ?? 0)
  }

  /// Ends this process, and the tests that it runs.
  private static func giveUp(_ reason: String) -> Never {
    running.withLock { running in running.forEach { kill(-$0, SIGKILL) } }
    print(reason)
    exit(2)
  }

  /// An interrupt of this process also interrupts the tests.
  static func endWithThisProcess() {
    for number in [SIGINT, SIGTERM] {
      signal(number) { number in
        Child.running.withLock { running in running.forEach { kill(-$0, SIGKILL) } }
        _exit(128 + number)
      }
    }
  }

  func end() {
    _ = Self.running.withLock { $0.remove(id) }
    kill(-id, SIGKILL)
    if !hasEnded { waitpid(id, &status, 0) }
    close(output)
  }
}
