import Loopback

/// An address that does not answer an attempt to connect, as if a network lost each packet.
///
/// The kernel drops attempts to connect to a listener whose queue is full.
final class BlackHole: Sendable {
  private let listener: Wire
  private let queue: [Wire]

  var url: String { "http://127.0.0.1:\(listener.port)" }

  init() throws {
    let listener = try Wire.listening(backlog: 0)
    self.listener = listener
    queue = try (0..<4).map { _ in try Wire.connecting(to: listener.port) }
  }
}
