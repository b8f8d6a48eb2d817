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
    #expect(answer.contains("new SharedWorker('/streams.js')") && answer.contains("worker-src 'self'"))
    #expect(!answer.contains(" src=") && !answer.contains("https:"))
    await site.server.stop()
  }

  @Test("gives the pages of a browser a script that follows the server for all of them")
  func worker() async throws {
    let site = try await Site()
    let answer = try await site.answer(to: "GET /streams.js HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(answer.contains("\r\nContent-Type: text/javascript; charset=utf-8\r\n"))
    #expect(answer.contains("new EventSource(path)") && answer.contains("onconnect"))
    await site.server.stop()
  }

  private static let long = String(repeating: "a", count: 50_000)

  static let refusals: [(request: Bytes, code: Int)] = [
    (Bytes(text: "GET /nowhere HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"), 404),
    (Bytes(text: "POST /nowhere HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"), 404),
    (Bytes(text: "POST /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"), 405),
    (Bytes(text: "BREW / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"), 501),
    (Bytes(text: "nonsense\r\n\r\n"), 400),
    (Bytes(text: "\u{16}\u{3}\u{1}\u{2}\n"), 400),
    (Bytes(text: "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n\r\nhello"), 405),
    (Bytes(text: "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 50000\r\n\r\n"), 405),
    (Bytes(text: "POST /kill HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"), 404),
    (Bytes(text: "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 50000\r\n\r\n"), 413),
    (Bytes(text: "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n50000\r\n"), 413),
    (Bytes(text: "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n"), 400),
    (Bytes(text: "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: gzip\r\n\r\n"), 501),
    (Bytes(text: "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"), 421),
    (Bytes(text: "GET http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"), 421),
    (Bytes(text: "GET /\(long) HTTP/1.1\r\n\r\n"), 414),
    (Bytes(text: "GET / HTTP/1.1\r\nX: \(long)\r\n\r\n"), 431),
    (Bytes(text: "GET / HTTP/2.0\r\n\r\n"), 505),
  ]

  @Test("refuses unknown requests, and continues to serve", arguments: refusals)
  func refusal(_ request: Bytes, _ code: Int) async throws {
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

  @Test(
    "answers HEAD with the head of the answer to GET",
    arguments: ["/", "/streams.js", "/metrics", "/events"]
  )
  func head(_ path: String) async throws {
    let site = try await Site()
    let answer = try await site.answer(to: "HEAD \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\nDate: "))
    #expect(answer.contains(" GMT\r\nContent-Type: text/"))
    #expect(answer.hasSuffix("\r\n\r\n"))
    await site.server.stop()
  }

  @Test(
    "reads the body of a request before it acts, in whatever pieces it comes",
    arguments: [
      ("Content-Length: 5", ["hello"]), ("Content-Length: 5", ["", "hel", "lo"]),
      ("Transfer-Encoding: chunked", ["5\r\nhello\r\n0\r\n\r\n"]),
      ("Transfer-Encoding: chunked", ["5\r\nhel", "lo\r", "\n0\r\n", "\r\n"]),
    ]
  )
  func body(_ header: String, _ pieces: [String]) async throws {
    let site = try await Site()
    let visitor = try await onThread { [port = site.port] in try Visitor(port) }
    visitor.say("POST /rate?is=7 HTTP/1.1\r\nHost: 127.0.0.1\r\n\(header)\r\n\r\n")
    for piece in pieces {
      #expect(site.services.prices.rate.value == 40)
      visitor.say(piece)
    }
    #expect(try await onThread { try visitor.hear() }.hasPrefix("HTTP/1.1 200 "))
    #expect(site.services.prices.rate.value == 7)
    await site.server.stop()
  }

  @Test("consents to a body that the client announces, and to none that it refuses")
  func consent() async throws {
    let site = try await Site()
    for (target, code) in [("/rate?is=7", 100), ("/", 405), ("/nowhere", 404)] {
      let visitor = try await onThread { [port = site.port] in try Visitor(port) }
      visitor.say(
        "POST \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"
      )
      let heard = try await onThread { try visitor.hear(upTo: "\r\n\r\n") }
      #expect(heard.hasPrefix("HTTP/1.1 \(code) "))
      guard code == 100 else { continue }
      visitor.say("hello")
      #expect(try await onThread { try visitor.hear() }.hasPrefix("HTTP/1.1 200 "))
    }
    await site.server.stop()
  }

  @Test("names the time as HTTP does")
  func date() {
    #expect(httpDate(0) == "Thu, 01 Jan 1970 00:00:00 GMT")
    #expect(httpDate(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(httpDate(951_782_400) == "Tue, 29 Feb 2000 00:00:00 GMT")
    #expect(httpDate(4_107_542_399) == "Sun, 28 Feb 2100 23:59:59 GMT")
    #expect(httpDate(4_107_542_400) == "Mon, 01 Mar 2100 00:00:00 GMT")
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

  @Test(
    "waits for a request for a limited time",
    arguments: ["Host", "Host: 127.0.0.1\r\nContent-Length: 5\r\n\r\nhell"]
  )
  func slow(_ headers: String) async throws {
    let site = try await Site { $0.request = .milliseconds(30) }
    let answer = try await site.answer(to: "GET / HTTP/1.1\r\n\(headers)")
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
