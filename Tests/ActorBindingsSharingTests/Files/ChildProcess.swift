import Foundation

/// Another process.
///
/// Foundation's `Process` is not used: on Linux it leaks a weak reference for each process, and the address sanitizer
/// reports that.
final class ChildProcess: Sendable {
  private let id: pid_t
  private let output: FileHandle

  /// Starts a program of this package, which is beside the tests.
  convenience init(_ program: String, _ arguments: String...) throws {
    let tests = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    try self.init(path: tests.deletingLastPathComponent().appendingPathComponent(program).path, arguments)
  }

  /// Starts the program at a path.
  init(path: String, _ arguments: [String]) throws {
    let pipe = Pipe()
    output = pipe.fileHandleForReading
    let writing = pipe.fileHandleForWriting.fileDescriptor
    // Another child must not hold the pipe open.
    for end in [output.fileDescriptor, writing] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = unsafe posix_spawn_file_actions_t()
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, writing, STDOUT_FILENO)
    var words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
    defer { unsafe words.forEach { unsafe free($0) } }
    var id = pid_t()
    let error = unsafe posix_spawn(&id, path, &actions, nil, &words, environ)
    guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EIO) }
    self.id = id
    try pipe.fileHandleForWriting.close()
  }

  func send(_ signal: Int32) {
    kill(id, signal)
  }

  /// Returns when the process has reported `count` steps, or has ended. Returns the number of steps that were read.
  @discardableResult
  func reported(_ count: Int) async -> Int {
    await onThread { [output] in
      var read = 0
      while read < count, let data = try? output.read(upToCount: count - read), !data.isEmpty {
        read += data.count
      }
      return read
    }
  }

  /// Returns when the process has ended. Returns the number of steps that were not read yet, and how the process ended.
  func ended() async -> (steps: Int, end: End) {
    await onThread { [self] in ((try? output.readToEnd())?.count ?? 0, waitForEnd()) }
  }

  /// Blocks until the process has ended.
  func waitForEnd() -> End {
    var status: Int32 = 0
    while unsafe waitpid(id, &status, 0) < 0, errno == EINTR {}
    // As the macros `WIFEXITED` and `WEXITSTATUS` read it, which Swift does not see.
    return status & 0x7f == 0 ? .exit(status >> 8 & 0xff) : .signal(status & 0x7f)
  }

  /// How a process ended.
  enum End: Equatable {
    case exit(Int32)
    case signal(Int32)
  }

  private func onThread<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "child").async { continuation.resume(returning: body()) }
    }
  }
}
