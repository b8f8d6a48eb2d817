/// What the server knows of one connection.
struct Connection {
  enum Phase {
    /// The request is not complete.
    case reading(RequestParser)
    /// A task sends the answer. What else the client says goes nowhere.
    case answering(Task<Void, Never>)
    /// It was sent the end, and is to close: closed at once by us, it might lose what it has not read yet.
    case parting
  }

  let socket: Socket
  var phase = Phase.reading(RequestParser())

  /// The answer's task, when there is no room for what it wants to send.
  var writer: CheckedContinuation<Bool, Never>?

  /// The client has gone, or was cut off: nobody waits for room any more.
  var isGone = false
  /// When it is cut off, if nothing happens before.
  var deadline: ContinuousClock.Instant?
}

/// The client at the other end, for the task that sends to it.
package struct Client: Sendable {
  let id: Int
  let socket: Socket
  let server: Server
  package let request: Request

  /// Returns when all bytes were handed to the system; on the way there it waits for as long as the client takes none.
  /// False if the client has gone, or was cut off; true is no promise that it has not.
  package func send(_ bytes: [UInt8]) async -> Bool {
    var rest = bytes[...]
    while true {
      // On the thread of whoever calls: it does not wait, and so the server's queue has nothing to do with it.
      switch socket.write(rest) {
      case .moved(let count):
        rest = rest.dropFirst(count)
        if rest.isEmpty { return true }
      case .notNow:
        guard await server.room(for: id) else { return false }
      case .ended:
        return false
      }
    }
  }
}
