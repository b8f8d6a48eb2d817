import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Starts a program as a process of its own group, with the environment of this process, and returns its id. The process
/// has three open files: it reads `input`, writes to `output`, and shares the standard error.
///
/// Foundation's `Process` is not used here. On Linux (Swift 6.3) it lists the open files of this process, and reads past
/// the end of that list: with some thousand open connections, starting a process ended the server ("Bad pointer
/// dereference" in `Process.run`).
func spawn(_ program: String, _ arguments: [String], input: Int32, output: Int32) throws -> pid_t {
  #if canImport(Glibc)
    var (actions, attributes) = unsafe (posix_spawn_file_actions_t(), posix_spawnattr_t())
    let closesOthers = 0
  #else
    var (actions, attributes): (posix_spawn_file_actions_t?, posix_spawnattr_t?) = unsafe (nil, nil)
    let closesOthers = POSIX_SPAWN_CLOEXEC_DEFAULT
  #endif
  unsafe posix_spawn_file_actions_init(&actions)
  unsafe posix_spawnattr_init(&attributes)
  defer {
    unsafe posix_spawn_file_actions_destroy(&actions)
    unsafe posix_spawnattr_destroy(&attributes)
  }
  unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
  unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
  unsafe posix_spawn_file_actions_adddup2(&actions, 2, 2)
  #if canImport(Glibc)
    // Other threads may open files meanwhile. A number without an open file is no error.
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
    for file in 3...max(3, (open.max() ?? 0) + 64) {
      unsafe posix_spawn_file_actions_addclose(&actions, file)
    }
  #endif

  // The threads of a pool block signals. The process must not.
  var none = sigset_t()
  unsafe sigemptyset(&none)
  unsafe posix_spawnattr_setsigmask(&attributes, &none)
  let flags = Int(POSIX_SPAWN_SETPGROUP) | Int(POSIX_SPAWN_SETSIGMASK) | Int(closesOthers)
  unsafe posix_spawnattr_setflags(&attributes, Int16(truncatingIfNeeded: flags))

  let environment = ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }
  var words = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
  var variables = unsafe environment.map { unsafe strdup($0) } + [nil]
  defer { unsafe (words + variables).forEach { unsafe free($0) } }
  var id: pid_t = 0
  let status = unsafe posix_spawn(&id, program, &actions, &attributes, &words, &variables)
  guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: status) ?? .EINVAL) }
  return id
}

/// Blocks until a process of this process has ended.
func waitForEnd(of id: pid_t) {
  var status: Int32 = 0
  while unsafe waitpid(id, &status, 0) < 0, errno == EINTR {}
}
