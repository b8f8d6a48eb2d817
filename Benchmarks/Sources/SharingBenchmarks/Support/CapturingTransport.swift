import ActorBindingsEtcd
import Synchronization

/// A transport that keeps the last body that a store has sent to a path.
final class CapturingTransport: EtcdTransport {
  private let inner = SocketTransport()
  private let bodies = Mutex<[String: [UInt8]]>([:])

  /// The last body that was sent to this path.
  func lastBody(to path: String) -> [UInt8]? {
    bodies.withLock { bodies in bodies.first { $0.key.hasSuffix(path) }?.value }
  }

  func send(_ url: String, body: [UInt8], headers: [String: String]) async throws -> EtcdAnswer {
    bodies.withLock { $0[url] = body }
    return try await inner.send(url, body: body, headers: headers)
  }

  func stream(_ url: String, body: [UInt8], headers: [String: String]) async throws -> EtcdStream {
    try await inner.stream(url, body: body, headers: headers)
  }
}
