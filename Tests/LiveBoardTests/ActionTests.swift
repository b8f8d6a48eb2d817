import ActorBindings
import LiveBoard
import Testing
import WebServer

@Suite("A button of the page", .timeLimit(.minutes(9)))
struct ActionTests {
  private static func post(_ target: String, to site: Site) async throws -> String {
    try await site.answer(to: "POST \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(site.port)\r\n\r\n")
  }

  @Test("sets the number of writes in a second; each client learns it, also one that comes later")
  func rate() async throws {
    let site = try await Site()
    let visitor = try await site.follower()
    #expect(try await Self.post("/rate?is=5000", to: site).hasPrefix("HTTP/1.1 200 "))
    #expect(site.services.prices.rate.value == 5_000)
    try await onThread { try visitor.hear(upTo: "event: controls\ndata: {\"rate\":5000,") }
    try await onThread { [port = site.port] in
      let latecomer = try Visitor(port)
      latecomer.ask("/events")
      try latecomer.hear(upTo: "event: controls\ndata: {\"rate\":5000,")
    }
    await site.server.stop()
  }

  @Test("stops a service, and starts it again; each client learns it")
  func stop() async throws {
    let site = try await Site()
    let visitor = try await site.follower()
    #expect(try await Self.post("/stop?is=jobs", to: site).hasPrefix("HTTP/1.1 200 "))
    try await onThread { try visitor.hear(upTo: "\"stopped\":{\"jobs\":") }
    #expect(try await Self.post("/start?is=jobs", to: site).hasPrefix("HTTP/1.1 200 "))
    try await onThread { try visitor.hear(upTo: "\"stopped\":{}}") }
    await site.server.stop()
  }

  @Test(
    "refuses what makes no sense",
    arguments: [
      ("/rate?is=100001", 400), ("/rate?is=-1", 400), ("/rate?is=many", 400), ("/rate", 400),
      ("/stop?is=everything", 400), ("/stop", 400), ("/explode", 404),
    ]
  )
  func refusals(_ target: String, _ code: Int) async throws {
    let site = try await Site()
    #expect(try await Self.post(target, to: site).hasPrefix("HTTP/1.1 \(code) "))
    #expect(site.services.prices.rate.value == 40)
    await site.server.stop()
  }

  @Test("does nothing for a request to read")
  func reading() async throws {
    let site = try await Site()
    let answer = try await site.answer(to: "GET /rate?is=7 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 405 ") && answer.contains("\r\nAllow: POST\r\n"))
    #expect(site.services.prices.rate.value == 40)
    await site.server.stop()
  }

  @Test("lets a client be slow: its loop says how many updates it skipped, and no age of its events counts")
  func slow() async throws {
    let site = try await Site()
    let visitor = try await onThread { [port = site.port] in
      let visitor = try Visitor(port)
      visitor.ask("/events?symbol=ACME&pause=1")
      try visitor.hear(upTo: "event: prices\n")
      return visitor
    }
    for cents in 1...100 { site.services.prices.cell.set(cents, forKey: "ACME") }
    let heard = try await onThread { try visitor.hear(upTo: "\"ACME\":100}") }
    #expect(heard.contains("event: skipped\ndata: "))
    #expect(!heard.contains("event: jobs") && !heard.contains("event: controls"))
    // Its first event was counted before it received the second one.
    #expect(site.server.tally.value.events > 0 && site.server.tally.value.ages == DurationHistogram())
    let normal = try await site.follower()
    await site.comesTrue { $0.ages != DurationHistogram() }
    withExtendedLifetime(normal) {}
    await site.server.stop()
  }
}
