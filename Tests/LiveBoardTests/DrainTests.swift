import ActorBindings
import LiveBoard
import Testing
import WebServer

@Suite("A server that ends", .timeLimit(.minutes(9)))
struct DrainTests {
  @Test("sends the last values to all clients, accepts no new ones, and closes")
  func drains() async throws {
    let site = try await Site()
    // Each client disconnects when it has received the end.
    let hearing = [try await site.follower(), try await site.follower("/events?symbol=ACME")].map { visitor in
      Task { try await onThread { try visitor.hear() } }
    }
    site.services.prices.cell.set(777, forKey: "ACME")
    await drain(site.server, site.services, within: .seconds(600))

    for task in hearing { #expect(try await task.value.contains("\"ACME\":777")) }
    #expect(site.server.tally.value.connections == 0)
    // By now, another program may have the port.
    let count = site.server.tally.value.accepted
    _ = try? await onThread { [port = site.port] in try Visitor(port) }
    #expect(site.server.tally.value.accepted == count)
  }

  @Test("does not wait for a client that reads nothing")
  func impatient() async throws {
    let site = try await Site()
    let stalled = try await site.follower(receiveBuffer: 4096)
    site.services.jobs.cell.append(Job(id: 0, title: String(repeating: "heap ", count: 100_000)))
    await site.comesTrue { $0.stalled == 1 }
    await drain(site.server, site.services, within: .milliseconds(50))
    #expect(site.server.tally.value.connections == 0)
    #expect(site.server.tally.value.streams == 0)
    withExtendedLifetime(stalled) {}
  }
}
