import ActorBindings
import LiveBoard
import Testing
import WebServer

/// A server on a free port, with services that only the test changes.
struct Site {
  let services: Services
  let server: Server
  let port: UInt16

  init(
    _ services: Services = Services(),
    linking files: LinkedFiles = LinkedFiles(),
    _ change: (inout Limits) -> Void = { _ in }
  ) async throws {
    self.services = services
    var limits = Limits()
    limits.watch = .milliseconds(10)
    // These limits are long, so that no client is late by accident on a busy machine.
    (limits.request, limits.stall, limits.closing) = (.seconds(600), .seconds(600), .seconds(600))
    change(&limits)
    server = bind(services, limits, pace: .milliseconds(1), linking: files)
    port = try await server.start(on: 0)
  }

  /// Returns a whole answer.
  func answer(to request: String) async throws -> String {
    try await onThread { [port] in
      let visitor = try Visitor(port)
      visitor.say(request)
      return try visitor.hear()
    }
  }

  /// Returns a visitor that follows events, and has received the first of them.
  func follower(_ target: String = "/events", _ headers: String = "", receiveBuffer: Int32? = nil)
    async throws -> Visitor
  {
    try await onThread { [port] in
      let visitor = try Visitor(port, receiveBuffer: receiveBuffer)
      visitor.ask(target, headers)
      try visitor.hear(upTo: "event: health\n")
      return visitor
    }
  }

  /// Returns when `condition` holds for the counts of the server.
  func comesTrue(_ condition: @Sendable (Tally) -> Bool) async {
    _ = await server.tally.first { condition($0) }
  }

  /// Waits until the server has no connection, and no trace of a connection.
  func isDeserted() async throws {
    await comesTrue { $0.connections == 0 }
    #expect(services.sessions.cell.isEmpty)
    let metrics = try await answer(to: "GET /metrics HTTP/1.0\r\n\r\n")
    for name in ["streams", "stalled", "sessions"] { #expect(metrics.contains("liveboard_\(name) 0\n")) }
    for name in ["ticker", "agenda", "audience", "condition"] {
      #expect(metrics.contains("liveboard_observers{cell=\"\(name)\"} 0\n"))
    }
  }
}
