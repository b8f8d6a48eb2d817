import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A blocking TCP socket on the loopback interface. A read or a write that waits for ten seconds fails. The descriptor
/// is closed when the socket is deallocated.
final class Wire: Sendable {
  /// A failed call of the system.
  struct Failure: Error, CustomStringConvertible {
    let call: String
    let code: Int32

    var description: String { "\(call): \(String(cString: strerror(code)))" }
  }

  private let descriptor: Int32

  private init(owning descriptor: Int32) {
    self.descriptor = descriptor
    let limit = timeval(tv_sec: 10, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] { set(option, at: SOL_SOCKET, to: limit) }
    set(TCP_NODELAY, at: Int32(IPPROTO_TCP), to: 1 as Int32)
    #if !canImport(Glibc)
      set(SO_NOSIGPIPE, at: SOL_SOCKET, to: 1 as Int32)
    #endif
  }

  deinit {
    _ = close(descriptor)
  }

  private func set<Value: BitwiseCopyable>(_ option: Int32, at level: Int32, to value: Value) {
    _ = withUnsafePointer(to: value) {
      setsockopt(descriptor, level, option, $0, socklen_t(MemoryLayout<Value>.size))
    }
  }

  private static func made() throws -> Wire {
    #if canImport(Glibc)
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    if descriptor < 0 { throw Failure(call: "socket", code: errno) }
    // A member of etcd must not inherit the socket.
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return Wire(owning: descriptor)
  }

  private static func withLoopback<R>(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R
  {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}

// MARK: - Beginning and ending

extension Wire {
  /// Listens on a free port.
  static func listening() throws -> Wire {
    let wire = try made()
    wire.set(SO_REUSEADDR, at: SOL_SOCKET, to: 1 as Int32)
    let isBound = withLoopback(0) { bind(wire.descriptor, $0, $1) == 0 }
    guard isBound, listen(wire.descriptor, 256) == 0 else { throw Failure(call: "listen", code: errno) }
    return wire
  }

  static func connected(to port: UInt16) throws -> Wire {
    let wire = try made()
    guard withLoopback(port, { connect(wire.descriptor, $0, $1) == 0 }) else {
      throw Failure(call: "connect", code: errno)
    }
    return wire
  }

  /// The port of a listening socket.
  var port: UInt16 {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    return UInt16(bigEndian: address.sin_port)
  }

  /// Waits for a client. Returns nil once the socket has ended.
  func accepted() -> Wire? {
    while true {
      let client = accept(descriptor, nil, nil)
      if client >= 0 {
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        return Wire(owning: client)
      }
      if ![EAGAIN, EWOULDBLOCK, EINTR, ECONNABORTED].contains(errno) { return nil }
    }
  }

  /// Ends the connection in both directions: reads and writes that wait on other threads end too.
  func end() {
    _ = shutdown(descriptor, Int32(SHUT_RDWR))
  }
}

// MARK: - Reading and writing

extension Wire {
  /// Appends what comes next to `bytes`. Returns false at the end of the connection, and if nothing comes.
  func read(into bytes: inout [UInt8], buffer: inout [UInt8]) -> Bool {
    let count = recv(descriptor, &buffer, buffer.count, 0)
    if count <= 0 { return false }
    bytes.append(contentsOf: buffer[..<count])
    return true
  }

  /// Reads what comes next; empty at the end of the connection, and nil if nothing comes.
  func read() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    if count < 0, [EAGAIN, EWOULDBLOCK, EINTR].contains(errno) { return nil }
    return Array(buffer.prefix(max(count, 0)))
  }

  /// Writes all bytes. Returns false if the other side has gone away.
  func write(_ bytes: [UInt8]) -> Bool {
    #if canImport(Glibc)
      let flags = Int32(MSG_NOSIGNAL)
    #else
      let flags: Int32 = 0
    #endif
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBufferPointer { send(descriptor, $0.baseAddress, $0.count, flags) }
      if count <= 0 { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
