import ActorBindings
import LiveBoard
import Testing
import WebServer

@Suite("A server", .timeLimit(.minutes(9)))
struct AnswerTests {
  @Test("shows a page that loads nothing else")
  func page() async throws {
    let site = try await Site()
    let answer = try await site.answer(to: "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(answer.contains("\r\nConnection: close\r\n"))
    #expect(answer.contains("new EventSource('/events'"))
    #expect(!answer.contains(" src=") && !answer.contains("https:"))
    await site.server.stop()
  }

  @Test(
    "refuses unknown requests, and continues to serve",
    arguments: [
      (Bytes(text: "GET /nowhere HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"), 404),
      (Bytes(text: "POST /nowhere HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"), 404),
      (Bytes(text: "POST /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"), 405),
      (Bytes(text: "BREW / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"), 501),
      (Bytes(text: "nonsense\r\n\r\n"), 400),
      (Bytes(text: "\u{16}\u{3}\u{1}\u{2}\n"), 400),
      (Bytes(text: "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n\r\nhello"), 405),
      (Bytes(text: "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n\r\nhello"), 413),
      (Bytes(text: "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 413),
      (Bytes(text: "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"), 421),
      (Bytes(text: "GET http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"), 421),
      (Bytes(text: "GET /\(String(repeating: "a", count: 50_000)) HTTP/1.1\r\n\r\n"), 414),
      (Bytes(text: "GET / HTTP/1.1\r\nX: \(String(repeating: "a", count: 50_000))\r\n\r\n"), 431),
      (Bytes(text: "GET / HTTP/2.0\r\n\r\n"), 505),
    ]
  )
  func refusals(_ request: Bytes, _ code: Int) async throws {
    let site = try await Site()
    let other = try await site.follower()
    let answer = try await site.answer(to: request.text)
    #expect(answer.hasPrefix("HTTP/1.1 \(code) "))
    #expect(answer.contains("\r\nAllow: GET, HEAD\r\n") == (code == 405))
    #expect(!answer.hasSuffix("\r\n\r\n"))
    #expect(site.server.tally.value.refused == 1)

    site.services.prices.cell.set(4711, forKey: "ACME")
    try await onThread { try other.hear(upTo: "\"ACME\":4711") }
    await site.server.stop()
  }

  @Test("answers HEAD with the head of the answer to GET", arguments: ["/", "/metrics", "/events"])
  func head(_ path: String) async throws {
    let site = try await Site()
    let answer = try await site.answer(to: "HEAD \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: text/"))
    #expect(answer.hasSuffix("\r\n\r\n"))
    await site.server.stop()
  }

  @Test(
    "acts only for pages of its own",
    arguments: [("", 200), ("Origin: http://127.0.0.1\r\n", 200), ("Origin: http://evil.example\r\n", 403)]
  )
  func origin(_ header: String, _ code: Int) async throws {
    let count = BindableActor(0)
    let server = Server { _ in
      .action {
        count.modify { $0 += 1 }
        return Response(body: "done")
      }
    }
    let port = try await server.start(on: 0)
    let answer = try await onThread {
      let visitor = try Visitor(port)
      visitor.say("POST /kill HTTP/1.1\r\nHost: 127.0.0.1\r\n\(header)\r\n")
      return try visitor.hear()
    }
    #expect(answer.hasPrefix("HTTP/1.1 \(code) "))
    #expect(count.value == (code == 200 ? 1 : 0))
    await server.stop()
  }

  @Test("waits for a request for a limited time")
  func slow() async throws {
    let site = try await Site { $0.request = .milliseconds(30) }
    let answer = try await site.answer(to: "GET / HTTP/1.1\r\nHost")
    #expect(answer.hasPrefix("HTTP/1.1 408 "))
    await site.server.stop()
  }

  @Test("tells a client beyond the limit that it is full")
  func full() async throws {
    let site = try await Site { $0.connections = 1 }
    let only = try await site.follower()
    let answer = try await site.answer(to: "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 503 "))
    withExtendedLifetime(only) {}
    await site.server.stop()
  }

  @Test("reports that its port is taken")
  func taken() async throws {
    let site = try await Site()
    let other = bind(Services())
    await #expect(throws: Socket.Failure.self) { try await other.start(on: site.port) }
    await site.server.stop()
  }
}
