// Only this file, `Readiness.swift` and `System.swift` call the system. Besides these files, only the server's executor
// is unsafe.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A TCP socket that only this machine can reach. The descriptor of a socket is closed when the socket is deallocated,
/// so code that holds a socket can use its descriptor safely.
package final class Socket: Sendable {
  package let descriptor: Int32

  private init(owning descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    _ = close(descriptor)
  }

  /// A failed call of the system.
  package struct Failure: Error, CustomStringConvertible {
    /// The name of the call.
    package let call: String
    package let code: Int32

    package var description: String { "\(call): \(unsafe String(cString: strerror(code)))" }

    /// Whether another program listens on the port.
    package var isPortTaken: Bool { code == EADDRINUSE }
  }

  private static func made() throws(Failure) -> Socket {
    #if canImport(Glibc)
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
    return Socket(owning: descriptor)
  }

  private func set(_ option: Int32, at level: Int32 = SOL_SOCKET, to value: Int32) {
    var value = value
    _ = unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Makes the socket non-blocking.
  package func neverWaits() {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
  }

  /// Sets the approximate number of bytes that the system buffers in each direction.
  package func limitBuffers(sending: Int32? = nil, receiving: Int32? = nil) {
    if let sending { set(SO_SNDBUF, to: sending) }
    if let receiving { set(SO_RCVBUF, to: receiving) }
  }

  /// Lets the system report room only while it holds fewer unsent bytes than this number. So a slow client receives new
  /// events soon, and not first all those that the system has stored for it.
  package func limitUnsentBytes(to count: Int32) {
    #if canImport(Glibc)
      // TCP_NOTSENT_LOWAT, which the toolchain's module of the C library leaves out.
      set(25, at: Int32(IPPROTO_TCP), to: count)
    #endif
  }

  /// Lets a later close reset the connection and discard what was not sent.
  package func breaksWhenClosed() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
  }

  /// Sends the end of the stream to the other side.
  package func endWriting() {
    _ = shutdown(descriptor, Int32(SHUT_WR))
  }
}

// MARK: - Beginning

extension Socket {
  /// Returns a socket that listens on 127.0.0.1. If `port` is 0, the system chooses a free port.
  package static func listening(on port: UInt16) throws(Failure) -> Socket {
    let socket = try made()
    socket.set(SO_REUSEADDR, to: 1)
    socket.neverWaits()
    let isBound = unsafe withLoopback(port) { address, size in
      unsafe bind(socket.descriptor, address, size) == 0
    }
    guard isBound, listen(socket.descriptor, 4096) == 0 else {
      throw Failure(call: "listen on 127.0.0.1:\(port)", code: errno)
    }
    return socket
  }

  /// Connects to `port` on 127.0.0.1, and blocks until the connection is open. `read` and `write` block too, each call
  /// for `patience` seconds at most.
  package static func connected(
    to port: UInt16,
    receiveBuffer: Int32? = nil,
    patience: Int = 30
  ) throws(Failure) -> Socket {
    let socket = try made()
    // The limit must come before the connection, which negotiates the size of the receive buffer.
    socket.limitBuffers(receiving: receiveBuffer)
    var limit = timeval(tv_sec: patience, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      _ = unsafe setsockopt(
        socket.descriptor,
        SOL_SOCKET,
        option,
        &limit,
        socklen_t(MemoryLayout<timeval>.size)
      )
    }
    let isConnected = unsafe withLoopback(port) { address, size in
      unsafe connect(socket.descriptor, address, size) == 0
    }
    guard isConnected else { throw Failure(call: "connect to 127.0.0.1:\(port)", code: errno) }
    return socket
  }

  /// The port on which the socket listens.
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

  /// Accepts the next waiting client. Returns nil if no client waits.
  package func accepted() throws(Failure) -> Socket? {
    let client = accept(descriptor, nil, nil)
    guard client >= 0 else {
      let code = errno
      // A client that disconnected before it was accepted is no failure of the server.
      if [EAGAIN, EWOULDBLOCK, EINTR, ECONNABORTED].contains(code) { return nil }
      throw Failure(call: "accept", code: code)
    }
    let socket = Socket(owning: client)
    socket.neverWaits()
    // Sends each event at once, without waiting for the acknowledgement of the previous one.
    socket.set(TCP_NODELAY, at: Int32(IPPROTO_TCP), to: 1)
    #if !canImport(Glibc)
      socket.set(SO_NOSIGPIPE, to: 1)
    #endif
    return socket
  }

  private static func withLoopback<Result>(
    _ port: UInt16,
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}

// MARK: - Reading and writing

extension Socket {
  package enum Outcome: Sendable, Equatable {
    /// This number of bytes was read or written.
    case moved(Int)
    /// There is nothing to read, or no room to write: try later.
    case notNow
    /// The other side has ended or reset the connection.
    case ended
  }

  /// Reads as many of the arrived bytes as fit into `buffer`.
  package func read(into buffer: inout [UInt8]) -> Outcome {
    let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
    if count == 0 { return .ended }
    return count > 0 ? .moved(count) : Self.outcome(of: errno)
  }

  /// Writes as many bytes as there is room for.
  package func write(_ bytes: ArraySlice<UInt8>) -> Outcome {
    #if canImport(Glibc)
      let flags = Int32(MSG_NOSIGNAL)
    #else
      let flags: Int32 = 0
    #endif
    let count = unsafe bytes.withUnsafeBytes { unsafe send(descriptor, $0.baseAddress, $0.count, flags) }
    return count >= 0 ? .moved(count) : Self.outcome(of: errno)
  }

  /// The number of bytes that were written, and that the system of the other side has not acknowledged.
  package var unacknowledgedBytes: Int {
    var count: Int32 = 0
    #if canImport(Glibc)
      // The same number as SIOCOUTQ, which the toolchain's module of the C library leaves out.
      _ = unsafe ioctl(descriptor, UInt(TIOCOUTQ), &count)
    #else
      var size = socklen_t(MemoryLayout<Int32>.size)
      _ = unsafe getsockopt(descriptor, SOL_SOCKET, SO_NWRITE, &count, &size)
    #endif
    return Int(count)
  }

  private static func outcome(of code: Int32) -> Outcome {
    [EAGAIN, EWOULDBLOCK, EINTR].contains(code) ? .notNow : .ended
  }

  /// Returns the indices of the sockets that have something to read, or have ended. Waits for the first such socket,
  /// but not longer than `milliseconds`.
  package static func readable(among sockets: [Socket], milliseconds: Int32) -> [Int] {
    var polled = sockets.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    guard unsafe poll(&polled, nfds_t(polled.count), milliseconds) > 0 else { return [] }
    return polled.indices.filter { polled[$0].revents != 0 }
  }
}
