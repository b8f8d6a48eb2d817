#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// System calls, except those for sockets.
package enum System {
  /// Writes a line without buffering it: a program that reads the output from a pipe waits for the line with the
  /// address.
  package static func say(_ line: String) {
    write(line, to: STDOUT_FILENO)
  }

  /// Writes a line to the standard error.
  package static func warn(_ line: String) {
    write(line, to: STDERR_FILENO)
  }

  private static func write(_ line: String, to descriptor: Int32) {
    var bytes = Array("\(line)\n".utf8)[...]
    while !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes { bytes in
        #if canImport(Glibc)
          unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        #else
          unsafe Darwin.write(descriptor, bytes.baseAddress, bytes.count)
        #endif
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      bytes.removeFirst(count)
    }
  }

  /// Raises the limit of open files as far as the system allows, but not above 100,000. Returns the new limit.
  package static func allowManyFiles() -> Int {
    #if canImport(Glibc)
      let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let files = RLIMIT_NOFILE
    #endif
    var limit = rlimit()
    guard unsafe getrlimit(files, &limit) == 0 else { return 256 }
    limit.rlim_cur = min(limit.rlim_max, 100_000)
    _ = unsafe setrlimit(files, &limit)
    _ = unsafe getrlimit(files, &limit)
    return Int(clamping: limit.rlim_cur)
  }

  /// The resident memory of this process in bytes. Nil on systems where this number is not known.
  package static var residentBytes: Int? {
    #if canImport(Glibc)
      let file = unsafe open("/proc/self/statm", O_RDONLY)
      guard file >= 0 else { return nil }
      defer { close(file) }
      var text = [UInt8](repeating: 0, count: 200)
      let count = unsafe text.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
      // "size resident shared …", in pages.
      let numbers = text.prefix(max(count, 0)).split(separator: UInt8(ascii: " "))
      guard numbers.count > 1, let pages = Int(String(decoding: numbers[1], as: UTF8.self)) else {
        return nil
      }
      return pages * sysconf(Int32(_SC_PAGESIZE))
    #else
      return nil
    #endif
  }

  /// The processor time that this process has used, in seconds.
  package static var processorSeconds: Double {
    var usage = rusage()
    #if canImport(Glibc)
      _ = unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    #else
      _ = unsafe getrusage(RUSAGE_SELF, &usage)
    #endif
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }

  /// The time in seconds since 1970.
  package static var unixTime: Int { time(nil) }

  /// Blocks this thread for some time.
  package static func wait(milliseconds: UInt32) {
    usleep(milliseconds * 1000)
  }

  /// Lets the process ignore a signal.
  package static func ignore(_ number: Int32) {
    _ = signal(number, SIG_IGN)
  }

  package static var terminationSignals: [Int32] { [SIGTERM, SIGINT] }

  /// The signal that a process receives when it writes to a closed pipe or socket.
  package static var brokenPipe: Int32 { SIGPIPE }

  package static func exit(_ status: Int32) -> Never {
    #if canImport(Glibc)
      Glibc.exit(status)
    #else
      Darwin.exit(status)
    #endif
  }
}
