import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A blocking socket on the loopback interface. A read or write that waits for 30 seconds fails, so no thread stays.
final class Wire: Sendable {
  struct Failure: Error {
    let call: String
    let code: Int32
  }

  private let descriptor: Int32

  private init(owning descriptor: Int32) {
    self.descriptor = descriptor
    var limit = timeval(tv_sec: 30, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      _ = unsafe setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
    set(TCP_NODELAY, at: Int32(IPPROTO_TCP))
  }

  deinit {
    close(descriptor)
  }

  private func set(_ option: Int32, at level: Int32) {
    var on: Int32 = 1
    _ = unsafe setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  private static func stream() throws -> Wire {
    #if canImport(Glibc)
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    if descriptor < 0 { throw Failure(call: "socket", code: errno) }
    return Wire(owning: descriptor)
  }

  private static func withLoopback<R>(
    _ port: UInt16,
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> R
  ) -> R {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  /// Listens on a port; 0 for a free one.
  ///
  /// - Parameter backlog: The number of connections that may wait until they are accepted.
  static func listening(on port: UInt16 = 0, backlog: Int32 = 64) throws -> Wire {
    let wire = try stream()
    wire.set(SO_REUSEADDR, at: SOL_SOCKET)
    let isBound = unsafe withLoopback(port) { unsafe bind(wire.descriptor, $0, $1) == 0 }
    guard isBound, listen(wire.descriptor, backlog) == 0 else { throw Failure(call: "bind", code: errno) }
    return wire
  }

  /// Begins to connect, and does not wait for an answer.
  static func connecting(to port: UInt16) throws -> Wire {
    let wire = try stream()
    _ = fcntl(wire.descriptor, F_SETFL, fcntl(wire.descriptor, F_GETFL) | O_NONBLOCK)
    _ = unsafe withLoopback(port) { unsafe connect(wire.descriptor, $0, $1) }
    return wire
  }

  static func connected(to port: UInt16) throws -> Wire {
    let wire = try stream()
    let isConnected = unsafe withLoopback(port) { unsafe connect(wire.descriptor, $0, $1) == 0 }
    guard isConnected else { throw Failure(call: "connect", code: errno) }
    return wire
  }

  /// The port of a listening socket.
  var port: UInt16 {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe getsockname(descriptor, $0, &size)
      }
    }
    return UInt16(bigEndian: address.sin_port)
  }

  /// Waits for a client; nil once the socket was ended. Waits again after 30 seconds without a client.
  func accepted() -> Wire? {
    while true {
      let client = accept(descriptor, nil, nil)
      if client >= 0 { return Wire(owning: client) }
      if ![EAGAIN, EWOULDBLOCK, EINTR, ECONNABORTED].contains(errno) { return nil }
    }
  }

  /// Reads what comes next; empty at the end of the connection, and nil if nothing comes.
  func read() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
    if count < 0, [EAGAIN, EWOULDBLOCK].contains(errno) { return nil }
    return Array(buffer.prefix(max(count, 0)))
  }

  /// Writes all bytes. Returns false if the peer has gone away.
  @discardableResult
  func write(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBufferPointer {
        #if canImport(Glibc)
          unsafe send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        #else
          unsafe send(descriptor, $0.baseAddress, $0.count, 0)
        #endif
      }
      if count <= 0 { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Ends the connection in both directions: reads and writes that wait end too.
  func end() {
    shutdown(descriptor, Int32(SHUT_RDWR))
  }
}

/// Runs a blocking `body` on a thread of its own: the pool may have only one thread.
func onThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
  }
}
