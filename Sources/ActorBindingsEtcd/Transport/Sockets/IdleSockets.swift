import ActorBindings

/// The connections that wait for their next request.
// @unchecked: `lock` guards the variable.
final class IdleSockets: @unchecked Sendable {
  private let limit: Int
  private let lock = Lock()
  // Guarded by `lock`. The keys are host and port.
  private var sockets: [String: [Socket]] = [:]

  /// - Parameter limit: The largest number of connections that wait for one endpoint.
  init(limit: Int) {
    self.limit = limit
  }

  /// Takes the connection that was used last; nil if none is good.
  func take(_ authority: String) -> Socket? {
    while let socket = lock.withLock({ sockets[authority]?.popLast() }) {
      // A server says nothing between two requests, unless it closes the connection.
      if !socket.hasNews { return socket }
    }
    return nil
  }

  /// Keeps a connection for the next request, or releases it if enough wait.
  func keep(_ socket: Socket, _ authority: String) {
    lock.withLock {
      if sockets[authority, default: []].count < limit { sockets[authority, default: []].append(socket) }
    }
  }
}
