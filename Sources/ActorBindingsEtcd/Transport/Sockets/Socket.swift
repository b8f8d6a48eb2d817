// Only this file and `Threads.swift` call the system.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A connection over TCP whose reads and writes block. The descriptor is closed when the socket is deallocated, so code
/// that holds a socket can use its descriptor safely.
final class Socket: Sendable {
  private let descriptor: Int32

  private init(owning descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    _ = close(descriptor)
  }

  /// A failed call of the system. The message is without a full stop.
  struct Failure: Error, Hashable {
    let message: String
    /// Whether this process or its machine lacks what the call takes. That says nothing of the peer.
    var isLocal = false

    /// The deadline of the request has passed.
    static let late = Failure("no answer came in time")

    init(_ message: String) {
      self.message = message
    }

    init(_ call: String, _ code: Int32) {
      message = "\(call): \(unsafe String(cString: strerror(code)))"
      isLocal = EtcdTransportError.isLocal(code)
    }
  }

  private func set<Value: BitwiseCopyable>(_ option: Int32, at level: Int32 = SOL_SOCKET, to value: Value) {
    _ = unsafe withUnsafePointer(to: value) {
      unsafe setsockopt(descriptor, level, option, $0, socklen_t(MemoryLayout<Value>.size))
    }
  }

  /// Ends the connection in both directions at once: reads and writes that wait on other threads end too.
  func end() {
    _ = shutdown(descriptor, Int32(SHUT_RDWR))
  }

  /// Whether something came, or the connection ended, since the last read.
  var hasNews: Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&entry, 1, 0) != 0
  }

  /// Waits until bytes can be read, or written. Returns false if `deadline` has passed before; nil is no deadline.
  private func wait(for events: Int32, until deadline: ContinuousClock.Instant?) -> Bool {
    guard let deadline else { return true }
    var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    while true {
      // Rounded up, so that the last wait is no loop.
      let rest = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
      if unsafe poll(&entry, 1, Int32(max(0, min(rest.rounded(.up), 1e6)))) != 0 { return true }
      if rest <= 0 { return false }
    }
  }

  /// Reads what comes next into `buffer`, and returns the number of bytes; 0 at the end of the connection.
  ///
  /// - Parameter deadline: The instant at which the wait fails with `late`; nil for the idle limit only.
  func read(into buffer: inout [UInt8], until deadline: ContinuousClock.Instant?) throws(Failure) -> Int {
    guard wait(for: POLLIN, until: deadline) else { throw Failure.late }
    while true {
      let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
      if count >= 0 { return count }
      if errno == EAGAIN || errno == EWOULDBLOCK { throw Failure("nothing came for too long") }
      if errno != EINTR { throw Failure("read", errno) }
    }
  }

  /// Writes bytes, and returns how many.
  ///
  /// - Parameter deadline: The instant at which the wait fails with `late`; nil for the idle limit only.
  func write(_ bytes: ArraySlice<UInt8>, until deadline: ContinuousClock.Instant?) throws(Failure) -> Int {
    guard wait(for: POLLOUT, until: deadline) else { throw Failure.late }
    guard let count = try write(bytes, flags: 0) else { throw Failure("nothing was taken for too long") }
    return count
  }

  /// Writes as many bytes as the connection takes at once, and returns how many. Does not block.
  func writeAtOnce(_ bytes: ArraySlice<UInt8>) throws(Failure) -> Int {
    try write(bytes, flags: Int32(MSG_DONTWAIT)) ?? 0
  }

  // Returns nil if the connection takes nothing.
  private func write(_ bytes: ArraySlice<UInt8>, flags: Int32) throws(Failure) -> Int? {
    #if canImport(Darwin)
      let always: Int32 = 0
    #else
      let always = Int32(MSG_NOSIGNAL)
    #endif
    while true {
      let count = unsafe bytes.withUnsafeBufferPointer {
        unsafe send(descriptor, $0.baseAddress, $0.count, flags | always)
      }
      if count >= 0 { return count }
      if errno == EAGAIN || errno == EWOULDBLOCK { return nil }
      if errno != EINTR { throw Failure("write", errno) }
    }
  }
}

extension EtcdTransportError {
  /// Whether an error of the system says that this process or its machine lacks something. The error `EADDRNOTAVAIL` does
  /// not tell that: see `hasSource`.
  package static func isLocal(_ code: Int32) -> Bool {
    [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code)
  }
}

// MARK: - Connecting

extension Socket {
  /// Connects to the first address of a host that answers. Blocks while it looks the name up, and while it connects.
  ///
  /// - Parameters:
  ///   - connectLimit: The time after which the attempt to connect to one address fails. The attempts together have
  ///     three times as much.
  ///   - idleLimit: The time after which a read or a write fails.
  ///   - cancellation: Ends the attempt.
  static func connected(
    to host: String,
    port: UInt16,
    connectLimit: Duration,
    idleLimit: Duration,
    _ cancellation: SocketCancellation
  ) throws(Failure) -> Socket {
    var hints = unsafe addrinfo()
    unsafe hints.ai_family = AF_UNSPEC
    #if canImport(Glibc)
      unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #else
      unsafe hints.ai_socktype = SOCK_STREAM
    #endif
    var list: UnsafeMutablePointer<addrinfo>?
    let code = unsafe getaddrinfo(host, String(port), &hints, &list)
    guard code == 0 else {
      if code == EAI_SYSTEM { throw Failure("the host \(host) was not found", errno) }
      var failure = Failure("the host \(host) was not found: \(unsafe String(cString: gai_strerror(code)))")
      failure.isLocal = code == EAI_MEMORY
      throw failure
    }
    defer { unsafe freeaddrinfo(list) }
    var failure = Failure("the host \(host) has no address")
    var next = unsafe list
    // An address that answers nothing must not hide the next one, so each has a limit of its own.
    let end = ContinuousClock.now.advanced(by: connectLimit * 3)
    while let address = unsafe next {
      let limit = min(connectLimit, ContinuousClock.now.duration(to: end))
      if limit <= .zero { break }
      do throws(Failure) {
        return try unsafe connected(to: address, limit, idleLimit, cancellation)
      } catch {
        // An address that could not be tried may be the good one, so nothing is known of the host.
        if !failure.isLocal { failure = error }
      }
      unsafe next = address.pointee.ai_next
    }
    throw failure
  }

  private static func connected(
    to address: UnsafePointer<addrinfo>,
    _ connectLimit: Duration,
    _ idleLimit: Duration,
    _ cancellation: SocketCancellation
  ) throws(Failure) -> Socket {
    let info = unsafe address.pointee
    let descriptor = unsafe socket(info.ai_family, info.ai_socktype, info.ai_protocol)
    if descriptor < 0 { throw Failure("socket", errno) }
    let socket = Socket(owning: descriptor)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    let seconds = idleLimit.components.seconds
    // A limit of 0 would be none.
    let fraction = max(idleLimit.components.attoseconds / 1_000_000_000_000, seconds == 0 ? 1 : 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      socket.set(option, to: timeval(tv_sec: .init(seconds), tv_usec: .init(fraction)))
    }
    socket.set(TCP_NODELAY, at: Int32(IPPROTO_TCP), to: 1 as Int32)
    #if canImport(Darwin)
      socket.set(SO_NOSIGPIPE, to: 1 as Int32)
    #endif
    // A connect that blocks cannot be ended from another thread on every system.
    let flags = fcntl(descriptor, F_GETFL)
    _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
    if unsafe connect(descriptor, info.ai_addr, info.ai_addrlen) != 0 {
      let code = errno
      if code != EINPROGRESS {
        var failure = Failure("connect", code)
        if code == EADDRNOTAVAIL { failure.isLocal = unsafe hasSource(for: info) }
        throw failure
      }
      try socket.waitUntilConnected(connectLimit, cancellation)
    }
    _ = fcntl(descriptor, F_SETFL, flags)
    return socket
  }

  // Whether this machine has an address from which it can reach another one. `connect` fails with the same error if it
  // has none, because IPv6 is turned off here, and if it has no port left. Sockets of UDP have ports of their own.
  private static func hasSource(for address: addrinfo) -> Bool {
    #if canImport(Glibc)
      let descriptor = unsafe socket(address.ai_family, Int32(SOCK_DGRAM.rawValue), 0)
    #else
      let descriptor = unsafe socket(address.ai_family, SOCK_DGRAM, 0)
    #endif
    if descriptor < 0 { return true }
    defer { _ = close(descriptor) }
    return unsafe connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 || errno != EADDRNOTAVAIL
  }

  private func waitUntilConnected(_ limit: Duration, _ cancellation: SocketCancellation) throws(Failure) {
    let end = ContinuousClock.now + limit
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    // Nothing wakes `poll` when the request is cancelled, so it looks often.
    while unsafe poll(&entry, 1, 50) <= 0 {
      if cancellation.isCancelled { throw Failure("the request was cancelled") }
      if ContinuousClock.now > end { throw Failure("connect", ETIMEDOUT) }
    }
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    _ = unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
    if code != 0 { throw Failure("connect", code) }
  }
}
