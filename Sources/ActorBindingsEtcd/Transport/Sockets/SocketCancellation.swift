import ActorBindings

/// Ends the connection of one request when the request is cancelled.
// @unchecked: `lock` guards the variables.
final class SocketCancellation: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`.
  private var cancelled = false
  private var socket: Socket?

  var isCancelled: Bool { lock.withLock { cancelled } }

  /// The request uses a connection from now on. Returns false if the request is cancelled.
  func began(on socket: Socket) -> Bool {
    lock.withLock {
      if !cancelled { self.socket = socket }
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
