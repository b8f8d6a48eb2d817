package import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A blocking socket on the loopback interface. A read or write that waits for 30 seconds fails, so no thread stays.
package final class Wire: Sendable {
  package struct Failure: Error, Sendable {
    package let call: String
    package let code: Int32
  }

  /// Held from the creation of a descriptor until processes that start cannot inherit it. Hold it while a process starts.
  package static let inheritance = NSLock()

  private let descriptor: Int32

  private init(owning descriptor: Int32) {
    self.descriptor = descriptor
    var limit = timeval(tv_sec: 30, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      _ = unsafe setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
    set(TCP_NODELAY, at: Int32(IPPROTO_TCP))
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  deinit {
    close(descriptor)
  }

  private func set(_ option: Int32, at level: Int32) {
    var on: Int32 = 1
    _ = unsafe setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  private static func stream() throws -> Wire {
    let wire = inheritance.withLock { () -> Wire? in
      #if canImport(Glibc)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
      #endif
      return descriptor < 0 ? nil : Wire(owning: descriptor)
    }
    guard let wire else { throw Failure(call: "socket", code: errno) }
    return wire
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
  package static func listening(on port: UInt16 = 0, backlog: Int32 = 64) throws -> Wire {
    let wire = try stream()
    wire.set(SO_REUSEADDR, at: SOL_SOCKET)
    let isBound = unsafe withLoopback(port) { unsafe bind(wire.descriptor, $0, $1) == 0 }
    _ = fcntl(wire.descriptor, F_SETFL, O_NONBLOCK)
    guard isBound, listen(wire.descriptor, backlog) == 0 else { throw Failure(call: "bind", code: errno) }
    return wire
  }

  /// Begins to connect, and does not wait for an answer.
  package static func connecting(to port: UInt16) throws -> Wire {
    let wire = try stream()
    _ = fcntl(wire.descriptor, F_SETFL, fcntl(wire.descriptor, F_GETFL) | O_NONBLOCK)
    _ = unsafe withLoopback(port) { unsafe connect(wire.descriptor, $0, $1) }
    return wire
  }

  package static func connected(to port: UInt16) throws -> Wire {
    let wire = try stream()
    let isConnected = unsafe withLoopback(port) { unsafe connect(wire.descriptor, $0, $1) == 0 }
    guard isConnected else { throw Failure(call: "connect", code: errno) }
    return wire
  }

  /// The port of a listening socket.
  package var port: UInt16 {
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
  package func accepted() -> Wire? {
    while true {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      _ = unsafe poll(&entry, 1, 30_000)
      // The lock is not held while this waits: a listening socket never waits in `accept`.
      let client = Self.inheritance.withLock { () -> Wire? in
        if entry.revents == 0 { return nil }
        let client = accept(descriptor, nil, nil)
        if client < 0 { return nil }
        // On Darwin it inherits the mode of the listening socket.
        _ = fcntl(client, F_SETFL, 0)
        return Wire(owning: client)
      }
      if let client { return client }
      if entry.revents != 0, ![EAGAIN, EWOULDBLOCK, EINTR, ECONNABORTED].contains(errno) { return nil }
    }
  }

  /// Reads what comes next; empty at the end of the connection, and nil if nothing comes.
  package func read() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
    if count < 0, [EAGAIN, EWOULDBLOCK].contains(errno) { return nil }
    return Array(buffer.prefix(max(count, 0)))
  }

  /// Writes all bytes. Returns false if the peer has gone away.
  @discardableResult
  package func write(_ bytes: [UInt8]) -> Bool {
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
  package func end() {
    shutdown(descriptor, Int32(SHUT_RDWR))
  }
}
