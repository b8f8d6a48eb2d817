/// Sends requests to etcd's JSON gateway over HTTP.
///
/// The standard one is ``SocketTransport``, which speaks `http` only. Conform a type of your own to this protocol to use
/// another HTTP client: for `https`, client certificates, or a proxy of HTTP.
///
/// If the caller's task is cancelled, both methods end promptly, and so does the connection. A cancelled method throws
/// ``EtcdTransportError/notSent(_:)`` if it is certain that no byte was sent, and any error otherwise: the store cancels
/// a method at its deadline, and after this error it can send a write to another endpoint.
public protocol EtcdTransport: Sendable {
  /// Sends a request by POST, and returns its answer.
  ///
  /// - Parameters:
  ///   - url: The endpoint and the path, such as `http://127.0.0.1:2379/v3/kv/range`.
  ///   - body: The body: JSON.
  ///   - headers: The headers, apart from those that HTTP itself needs.
  /// - Throws: An ``EtcdTransportError`` if there is no whole answer.
  func send(_ url: String, body: [UInt8], headers: [String: String]) async throws -> EtcdAnswer

  /// Sends a request by POST, and returns its answer while the answer goes on.
  ///
  /// - Returns: The answer, as soon as its status and headers have come.
  /// - Throws: An ``EtcdTransportError`` if the status does not come. The stream throws one if the connection is lost.
  func stream(_ url: String, body: [UInt8], headers: [String: String]) async throws -> EtcdStream
}

/// A whole answer to a request.
public struct EtcdAnswer: Hashable, Sendable {
  /// The status of HTTP.
  public var status: Int
  /// The body.
  public var body: [UInt8]

  /// Creates an answer.
  public init(status: Int, body: [UInt8]) {
    self.status = status
    self.body = body
  }
}

/// An answer that goes on.
public struct EtcdStream: Sendable {
  /// The status of HTTP.
  public var status: Int
  /// The body, as it comes: in chunks of any size. Releasing its iterator ends the connection.
  public var chunks: any AsyncSequence<[UInt8], any Error> & Sendable

  /// Creates an answer.
  public init(status: Int, chunks: any AsyncSequence<[UInt8], any Error> & Sendable) {
    self.status = status
    self.chunks = chunks
  }
}

/// A reason why a request has no whole answer. The messages are without a full stop.
public enum EtcdTransportError: Error, Hashable, Sendable {
  /// No byte of the request was sent: the server has not done what the request asks for. The store then sends the
  /// request to the next endpoint.
  case notSent(String)
  /// No byte of the request was sent, because this process or its machine lacks something: a descriptor, a local port, a
  /// thread, memory. That says nothing of the endpoint: the store may send this request to the next endpoint, and sends
  /// later requests to the same one.
  case noResources(String)
  /// The request was sent, at least in part: the server may have done what the request asks for.
  case interrupted(String)
}
