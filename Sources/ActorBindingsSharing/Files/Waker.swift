#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Wakes a thread that waits for events of descriptors: a pipe, which is readable while there is something to look for.
final class Waker: Sendable {
  let reader: FileDescriptor
  private let writer: FileDescriptor

  init() throws(SystemError) {
    var ends: [Int32] = [0, 0]
    if unsafe pipe(&ends) != 0 { throw .last("open a pipe for", ".") }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    reader = FileDescriptor(number: ends[0], path: ".")
    writer = FileDescriptor(number: ends[1], path: ".")
  }

  /// Any thread may call this. A full pipe is readable already.
  func wake() {
    var byte: UInt8 = 0
    _ = unsafe write(writer.number, &byte, 1)
  }

  /// Returns when the waker was called.
  func wait() {
    var source = pollfd(fd: reader.number, events: Int16(POLLIN), revents: 0)
    _ = unsafe poll(&source, 1, -1)
    clear()
  }

  /// Makes the pipe unreadable until the next wake-up.
  func clear() {
    reader.drain()
  }
}

extension FileDescriptor {
  /// Reads what a descriptor that never blocks has at the moment, and returns the bytes.
  @discardableResult
  func drain() -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      var chunk = [UInt8](repeating: 0, count: 4096)
      let count = unsafe readBytes(number, &chunk, 4096)
      if count <= 0 { return bytes }
      bytes += chunk.prefix(count)
    }
  }
}

// Within `FileDescriptor` the name `read` is a method.
private func readBytes(_ number: Int32, _ target: UnsafeMutableRawPointer, _ count: Int) -> Int {
  unsafe read(number, target, count)
}
