import ActorBindings
import LiveBoard
import Testing
import WebServer

@Suite("A client that", .timeLimit(.minutes(9)))
struct DepartureTests {
  /// A job with more bytes than the system buffers for a client.
  private static let heap = Job(id: 0, title: String(repeating: "heap ", count: 100_000))

  @Test("disconnects in any way leaves nothing behind")
  func goes() async throws {
    let site = try await Site()
    for isAbrupt in [true, false] {
      var visitors: [Visitor] = []
      for _ in 0..<10 { visitors.append(try await site.follower()) }
      // Also connects clients that have sent no request, half of one, or a whole one.
      for text in ["", "GET /ev", "GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"] {
        let visitor = try await onThread { [port = site.port] in try Visitor(port) }
        visitor.say(text)
        visitors.append(visitor)
      }
      await site.comesTrue { $0.connections == 13 && $0.streams == 11 }
      if isAbrupt { for visitor in visitors { visitor.socket.breaksWhenClosed() } }
      visitors = []
      try await site.isDeserted()
    }
    await site.server.stop()
  }

  @Test("stalls delays no other client, and continues with the newest values")
  func stalls() async throws {
    let site = try await Site()
    let stalled = try await site.follower("/events?symbol=ACME", receiveBuffer: 4096)
    site.services.jobs.cell.append(Self.heap)
    // From here on, the server is in the middle of sending this job to the client.
    await site.comesTrue { $0.stalled == 1 }

    // Each price is sent to the other client before the next price is written.
    let other = try await site.follower("/events?symbol=ACME")
    for cents in 5_001...5_010 {
      site.services.prices.cell.set(cents, forKey: "ACME")
      try await onThread { try other.hear(upTo: "{\"ACME\":\(cents)}") }
    }
    #expect(site.server.tally.value.skipped < 9)
    let heard = try await onThread { try stalled.hear(upTo: "{\"ACME\":5010}") }
    #expect(!heard.contains("{\"ACME\":5005}"))
    await site.comesTrue { $0.skipped >= 9 && $0.stalled == 0 }
    await site.server.stop()
  }

  /// Returns the number of events that the system accepts for a client that reads nothing.
  private func accepted(_ change: (inout Limits) -> Void) async throws -> Int {
    let site = try await Site(Services(), change)
    let stalled = try await site.follower("/events?symbol=ACME", receiveBuffer: 4096)
    var cents = 5_000
    while site.server.tally.value.stalled == 0, cents < 25_000 {
      cents += 1
      let before = site.server.tally.value.events
      site.services.prices.cell.set(cents, forKey: "ACME")
      await site.comesTrue { $0.events > before || $0.stalled == 1 }
    }
    await site.server.stop()
    withExtendedLifetime(stalled) {}
    return cents - 5_000
  }

  #if os(Linux)
    @Test("reads nothing has few events stored for it, so that it next receives the newest")
    func stored() async throws {
      let (few, more) = (try await accepted { _ in }, try await accepted { $0.unsentBytes = 16 * 1024 })
      #expect(few < more / 2, "\(few) events, and \(more) if the server lets the system store 16 KiB")
    }
  #endif

  @Test("reads nothing for too long is cut off")
  func dropped() async throws {
    let site = try await Site { $0.stall = .milliseconds(30) }
    let stalled = try await site.follower(receiveBuffer: 4096)
    site.services.jobs.cell.append(Self.heap)
    await site.comesTrue { $0.dropped == 1 }
    try await site.isDeserted()
    withExtendedLifetime(stalled) {}
    await site.server.stop()
  }

  /// Lets a test decide which time the server sees, and lets the system store more bytes than the test takes.
  private static func byHand(_ limits: inout Limits) {
    limits.watch = .seconds(3_600)
    (limits.sendBuffer, limits.unsentBytes) = (200_000, 1_000_000)
  }

  @Test("takes few bytes is cut off only when it has taken none for the stated time")
  func takesFew() async throws {
    let site = try await Site { Self.byHand(&$0) }
    let slow = try await site.follower(receiveBuffer: 4096)
    site.services.jobs.cell.append(Self.heap)
    await site.comesTrue { $0.stalled == 1 }
    await site.server.timePassed()
    // These are more bytes than the system of the client stores.
    try await onThread { try slow.take(12 * 1024) }
    var now = ContinuousClock.now + .seconds(601)
    await site.server.timePassed(now: now)
    await site.server.timePassed(now: now + .seconds(599))
    #expect(site.server.tally.value.dropped == 0 && site.server.tally.value.stalled == 1)
    // Bytes may still be under way to the system of the client.
    while site.server.tally.value.dropped == 0 {
      now += .seconds(600)
      await site.server.timePassed(now: now)
    }
    try await site.isDeserted()
    withExtendedLifetime(slow) {}
    await site.server.stop()
  }

  @Test("takes the rest slowly after it was sent the end receives all of it")
  func takesRest() async throws {
    let site = try await Site { Self.byHand(&$0) }
    do {
      let slow = try await onThread { [port = site.port] in
        let visitor = try Visitor(port, receiveBuffer: 4096)
        visitor.ask("/")
        return visitor
      }
      await site.comesTrue { $0.parting == 1 }
      await site.server.timePassed()
      try await onThread { try slow.take(12 * 1024) }
      await site.server.timePassed(now: .now + .seconds(601))
      let rest = try await onThread { try slow.hear() }
      #expect(rest.hasSuffix("</html>\n"))
    }
    try await site.isDeserted()
    await site.server.stop()
  }

  @Test("disconnects while it stalls leaves nothing behind")
  func goesStalled() async throws {
    let site = try await Site()
    do {
      let stalled = try await site.follower(receiveBuffer: 4096)
      site.services.jobs.cell.append(Self.heap)
      await site.comesTrue { $0.stalled == 1 }
      stalled.socket.breaksWhenClosed()
    }
    try await site.isDeserted()
    await site.server.stop()
  }

  @Test("stays after it was sent the end is cut off")
  func lingers() async throws {
    let site = try await Site { $0.closing = .milliseconds(30) }
    let visitor = try await onThread { [port = site.port] in
      let visitor = try Visitor(port)
      visitor.ask("/")
      _ = try visitor.hear()
      return visitor
    }
    try await site.isDeserted()
    withExtendedLifetime(visitor) {}
    await site.server.stop()
  }
}
