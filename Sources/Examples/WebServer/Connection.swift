/// The server's state of one connection.
struct Connection {
  enum Phase {
    /// The request is not complete.
    case reading(RequestParser)
    /// The head of the request is complete, and its body is not. `answer` follows.
    case readingBody(BodyParser, Request, Answer)
    /// A task sends the answer. Further bytes of the client are ignored.
    case answering(Task<Void, Never>)
    /// The server has sent the end and waits until the client closes: if the server closed at once, the client might
    /// lose what it has not read yet.
    case parting

    /// Whether the request is not complete.
    var isReading: Bool {
      switch self {
      case .reading, .readingBody: true
      case .answering, .parting: false
      }
    }
  }

  let socket: Socket
  var phase = Phase.reading(RequestParser())

  /// The continuation of the answer's task, while that task waits for room to send.
  var writer: CheckedContinuation<Bool, Never>?

  /// Whether the client has disconnected, or was cut off. If so, no task waits for room.
  var isGone = false
  /// Nil if the server does not wait for the client.
  var deadline: Deadline?
}

/// The client of a connection, for the task that sends to this client.
package struct Client: Sendable {
  let id: Int
  let socket: Socket
  let server: Server
  package let request: Request

  /// Sends bytes, and returns when the system has accepted all of them. Waits while the client accepts no bytes.
  /// Returns false if the client has disconnected, or was cut off. A result of true does not promise that the client
  /// has received the bytes.
  package func send(_ bytes: [UInt8]) async -> Bool {
    var rest = bytes[...]
    while true {
      // This call never waits, so it runs on the caller's thread and does not need the server's queue.
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
