import ActorBindings

/// Ends the connection of one request when the request is cancelled.
// @unchecked: `lock` guards the variables.
final class SocketCancellation: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`.
  private var cancelled = false
  private var maySend = false
  private var socket: Socket?

  var isCancelled: Bool { lock.withLock { cancelled } }

  /// Whether the request was cancelled before its first byte was sent. Does not change once the request is cancelled.
  var isCancelledUnsent: Bool { lock.withLock { cancelled && !maySend } }

  /// The request is sent on a connection from now on. Returns false if the request is cancelled: then it must not be
  /// sent.
  func began(on socket: Socket) -> Bool {
    lock.withLock {
      if !cancelled { (self.socket, maySend) = (socket, true) }
      return !cancelled
    }
  }

  /// The request uses its connection no longer. Returns whether others can use the connection: a cancelled request has
  /// ended it.
  func ended() -> Bool {
    // The socket is released after the lock.
    let (isUsable, socket) = lock.withLock {
      defer { self.socket = nil }
      return (!cancelled, self.socket)
    }
    return isUsable && socket != nil
  }

  func cancel() {
    let socket = lock.withLock {
      defer { self.socket = nil }
      cancelled = true
      return self.socket
    }
    socket?.end()
  }
}
