import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A blocking socket on the loopback interface.
final class Connection: Sendable {
  // Held from the creation of a descriptor until processes that start cannot inherit it, and while a process starts.
  static let inheritance = NSLock()

  private let descriptor: Int32

  /// Returns nil if `descriptor` is negative.
  private init?(owning descriptor: Int32) {
    if descriptor < 0 { return nil }
    self.descriptor = descriptor
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    set(TCP_NODELAY, at: Int32(IPPROTO_TCP))
    #if canImport(Darwin)
      set(SO_NOSIGPIPE, at: SOL_SOCKET)
    #endif
  }

  deinit {
    close(descriptor)
  }

  private func set(_ option: Int32, at level: Int32) {
    var on: Int32 = 1
    _ = unsafe setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  private static func created() -> Connection? {
    inheritance.withLock {
      #if canImport(Glibc)
        Connection(owning: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
      #else
        Connection(owning: socket(AF_INET, SOCK_STREAM, 0))
      #endif
    }
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

  /// Listens on a free port. Returns nil if there is none.
  static func listening() -> Connection? {
    guard let connection = created() else { return nil }
    let isBound = unsafe withLoopback(0) { unsafe bind(connection.descriptor, $0, $1) == 0 }
    // `accepted` waits by `poll`, not by `accept`.
    _ = fcntl(connection.descriptor, F_SETFL, O_NONBLOCK)
    return isBound && listen(connection.descriptor, 128) == 0 ? connection : nil
  }

  /// Connects to a port. Returns nil if nothing listens there.
  static func connected(to port: UInt16) -> Connection? {
    guard let connection = created() else { return nil }
    let isConnected = unsafe withLoopback(port) { unsafe connect(connection.descriptor, $0, $1) == 0 }
    return isConnected ? connection : nil
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

  /// Waits for a client of a listening socket.
  func accepted() -> Connection {
    while true {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      _ = unsafe poll(&entry, 1, -1)
      let client = Self.inheritance.withLock { Connection(owning: accept(descriptor, nil, nil)) }
      if let client { return client }
    }
  }

  /// Reads what comes next; empty at the end of the connection.
  func read() -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
      if count >= 0 || errno != EINTR { return Array(buffer.prefix(max(count, 0))) }
    }
  }

  /// Writes all bytes. Returns false if the peer has gone away.
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
      if count < 0, errno == EINTR { continue }
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
