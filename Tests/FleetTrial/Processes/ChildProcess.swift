import Foundation
import Loopback

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A process that this program has started, and whose input it holds.
final class ChildProcess {
  let id: pid_t
  private let input: FileHandle
  private var isRunning = true

  /// Starts a program. Its output, and its errors, go to the end of the file `log`.
  init(_ path: String, _ arguments: [String], log: URL) throws {
    let pipe = Pipe()
    input = pipe.fileHandleForWriting
    let reading = pipe.fileHandleForReading.fileDescriptor
    // Another child must not hold the pipe open.
    for end in [input.fileDescriptor, reading] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = unsafe posix_spawn_file_actions_t()
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, reading, STDIN_FILENO)
    unsafe posix_spawn_file_actions_addopen(
      &actions,
      STDOUT_FILENO,
      log.path,
      O_WRONLY | O_CREAT | O_APPEND,
      0o644
    )
    unsafe posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
    var words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
    defer { unsafe words.forEach { unsafe free($0) } }
    var id = pid_t()
    let error = Wire.inheritance.withLock {
      unsafe posix_spawn(&id, path, &actions, nil, &words, environ)
    }
    guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EIO) }
    self.id = id
    try pipe.fileHandleForReading.close()
  }

  /// Writes a line to the input of the process.
  func say(_ line: String) {
    try? input.write(contentsOf: Data("\(line)\n".utf8))
  }

  func send(_ signal: Int32) {
    if isRunning { _ = kill(id, signal) }
  }

  /// Whether the process has ended. Afterwards its id may belong to another process.
  func hasEnded() -> Bool {
    var status: Int32 = 0
    if isRunning, unsafe waitpid(id, &status, WNOHANG) == id { isRunning = false }
    return !isRunning
  }

  /// Kills the process, and returns once it is gone.
  func crash() {
    guard isRunning else { return }
    _ = kill(id, SIGKILL)
    var status: Int32 = 0
    while unsafe waitpid(id, &status, 0) < 0, errno == EINTR {}
    isRunning = false
  }

  deinit {
    crash()
  }
}

/// A shell that kills the processes of the trial if the trial dies.
final class Guardian {
  private let shell: ChildProcess

  init(log: URL) throws {
    shell = try ChildProcess("/bin/sh", ["-c", Self.script], log: log)
  }

  func add(_ child: ChildProcess) { shell.say("+\(child.id)") }
  func remove(_ child: ChildProcess) { shell.say("-\(child.id)") }

  private static let script = """
    pids=
    while read -r line; do
      case $line in
        +*) pids="$pids ${line#+}" ;;
        -*) rest=; for pid in $pids; do [ "$pid" = "${line#-}" ] || rest="$rest $pid"; done; pids=$rest ;;
      esac
    done
    [ -z "$pids" ] || kill -9 $pids
    """
}
