import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Nanoseconds of the clock that all processes of this machine share.
func now() -> Int {
  var time = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
}

/// What a client has done, a line for each event. A line is in the file before the client goes on, so a kill loses none.
///
/// Each line has a time, a word and numbers:
///
/// - `intends C`: a `modify` of counter C begins.
/// - `acknowledged C BEGIN VALUE`: it has returned, and has written VALUE.
/// - `uncertain C`: it has thrown `StoreError.uncertain`.
/// - `read C BEGIN VALUE`: a load has returned VALUE.
/// - `back C OLD NEW`: the local cell has gone from a value to a smaller one.
/// - `leads N`, `left N`: a body with the fencing number N begins or ends.
/// - `failed …`: an error that no fault explains.
struct ClientLog: Sendable {
  private let descriptor: Int32

  init(_ path: String) throws {
    descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    if descriptor < 0 { throw POSIXError(.EIO) }
  }

  func note(_ event: String) {
    var line = Array("\(now()) \(event)\n".utf8)
    let written = unsafe write(descriptor, &line, line.count)
    precondition(written == line.count, "the log of a client is full")
  }
}

/// What a client holds when the faults have ended: the client writes it to a file again and again.
struct ClientState: Codable, Equatable {
  var counters: [Int]
  var board: [String: Int]
  var here: Set<String>
  /// The fencing number, while this process leads.
  var leads: UInt64?
  /// The number of writes that have begun and not ended.
  var pending: Int
  var isLive: Bool
}
