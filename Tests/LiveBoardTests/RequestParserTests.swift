import LiveBoard
import Testing
import WebServer

@Suite("A request parser")
struct RequestParserTests {
  private static func outcome(of text: String) -> RequestParser.Outcome {
    var parser = RequestParser()
    return parser.received(text.utf8)
  }

  @Test("reads what a browser asks for")
  func browser() {
    let outcome = Self.outcome(
      of:
        "GET /events?symbol=ACME&symbol=A%26B HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nLast-Event-ID:  17 \r\n\r\n"
    )
    let query = [
      Request.Parameter(name: "symbol", value: "ACME"), Request.Parameter(name: "symbol", value: "A&B"),
    ]
    #expect(
      outcome
        == .request(
          Request(method: "GET", path: "/events", query: query, host: "127.0.0.1:8080", lastEventID: 17)
        )
    )
  }

  @Test(
    "accepts requests that are unusual, but valid",
    arguments: [
      ("GET / HTTP/1.0\r\n\r\n", nil),
      ("GET / HTTP/1.1\r\nhOST:\r\n\r\n", ""),
      ("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "a"),
      ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", "a"),
      ("GET / HTTP/1.1\r\nHost: a\r\nX-Text: gr\u{FC}n\t\r\n\r\n", "a"),
      ("GET /? HTTP/1.1\r\nHost: a\r\nLast-Event-ID: x\r\n\r\nand more", "a"),
      ("GET http://b:80 HTTP/1.1\r\nHost: a\r\n\r\n", "b:80"),
      ("GET HTTP://b/ HTTP/1.1\r\nHost: a\r\n\r\n", "b"),
    ] as [(String, String?)]
  )
  func unusual(_ text: String, _ host: String?) {
    #expect(Self.outcome(of: text) == .request(Request(method: "GET", path: "/", host: host)))
  }

  @Test("reads `+` as a space in a query, and as a plus in a path")
  func plus() {
    let outcome = Self.outcome(of: "GET http://a/1+1?q=1+1%2B2 HTTP/1.1\r\nHost: a\r\n\r\n")
    let query = [Request.Parameter(name: "q", value: "1 1+2")]
    #expect(outcome == .request(Request(method: "GET", path: "/1+1", query: query, host: "a")))
  }

  @Test(
    "knows the names of this machine",
    arguments: [
      (nil, true), ("127.0.0.1", true), ("localhost:8080", true), ("LOCALHOST", true), ("[::1]:80", true),
      ("[::1]", true), ("", false), ("evil.example", false), ("127.0.0.1.evil.example:8080", false),
    ] as [(String?, Bool)]
  )
  func names(_ host: String?, _ isThisMachine: Bool) {
    #expect(Request(method: "GET", path: "/", host: host).namesThisMachine == isThisMachine)
  }

  @Test("accepts any method")
  func methods() {
    #expect(
      Self.outcome(of: "BREW /pot HTTP/1.1\r\nHost: a\r\n\r\n")
        == .request(Request(method: "BREW", path: "/pot", host: "a"))
    )
  }

  static let refusals: [(text: Bytes, status: Status)] =
    [
      "\n", "GET\r\n", "GET /\r\n", "GET  HTTP/1.1\r\n", " / HTTP/1.1\r\n", "GET / HTTP/1.1 \r\n",
      "G\u{0}T / HTTP/1.1\r\n",
      "G:T / HTTP/1.1\r\n", "GET http:// HTTP/1.1\r\n", "GET https://a/ HTTP/1.1\r\n", "GET * HTTP/1.1\r\n",
      "GET /\u{7F} HTTP/1.1\r\n",
      "GET /%4 HTTP/1.1\r\n",
      "GET /%zz HTTP/1.1\r\n", "GET /%FF HTTP/1.1\r\n", "GET /?%= HTTP/1.1\r\n", "GET / http/1.1\r\n",
      "GET / HTTP/1\r\n",
      "GET / HTTP/1.10\r\n", "GET / HTTP/x.1\r\n", "GET / HTTP/1.1\n", "GET / \rHTTP/1.1\r\n",
      "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
      "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\n\r\n", "GET / HTTP/1.1\r\n: a\r\n", "GET / HTTP/1.1\r\nHost\r\n",
      "GET / HTTP/1.1\r\nHost : a\r\n",
      "GET / HTTP/1.1\r\nX: a\r\n b\r\n", "GET / HTTP/1.1\r\nX: \u{1}\r\n",
      "GET / HTTP/1.1\r\nContent-Length: -1\r\n", "GET / HTTP/1.1\r\nContent-Length:\r\n",
      "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n",
      "POST / HTTP/1.1\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n",
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n",
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
      "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n",
    ].map { (Bytes(text: $0), .badRequest) }
    + [
      (Bytes(text: "POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n"), .unknownCoding),
      (Bytes(text: "GET / HTTP/2.0\r\n"), .unknownVersion),
      (Bytes(text: "GET / HTTP/0.9\r\n"), .unknownVersion),
      (Bytes(text: "GET / HTTP/1.2\r\n"), .unknownVersion),
      (
        Bytes(text: "GET /\(String(repeating: "a", count: RequestParser.longestTarget)) HTTP/1.1\r\n"),
        .targetTooLong
      ),
      (
        Bytes(text: "GET / HTTP/1.1\r\nX: \(String(repeating: "a", count: RequestParser.longestHead))\r\n"),
        .headTooLarge
      ),
      (
        Bytes(
          text: "GET / HTTP/1.1\r\n\(String(repeating: "X: a\r\n", count: RequestParser.longestHead / 6))\r\n"
        ), .headTooLarge
      ),
    ]

  @Test("refuses what it does not support", arguments: refusals)
  func refusal(_ bytes: Bytes, _ status: Status) {
    #expect(Self.outcome(of: bytes.text) == .refused(status))
  }

  @Test(
    "has the same result wherever the bytes are cut, and not too early",
    arguments: refusals.map(\.text) + [
      Bytes(text: "GET /events?symbol=ACME HTTP/1.1\r\nHost: a\r\nLast-Event-ID: 3\r\n\r\n")
    ]
  )
  func cuts(_ request: Bytes) {
    let bytes = Array(request.text.utf8)
    let whole = Self.outcome(of: request.text)
    // For a very long request, a few cuts are enough.
    for cut in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 100)) {
      var parser = RequestParser()
      var outcome = parser.received(bytes[..<cut])
      if outcome == .needsMore { outcome = parser.received(bytes[cut...]) }
      #expect(outcome == whole, "cut at \(cut)")
    }

    var parser = RequestParser()
    let outcomes = bytes.lazy.map { parser.received(CollectionOfOne($0)) }
    #expect(outcomes.first { $0 != .needsMore } == whole)
  }

  @Test("needs more while the request is not complete")
  func incomplete() {
    for text in [
      "", "G", "GET / HTTP/1.1\r", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: a\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\n\r",
    ] {
      #expect(Self.outcome(of: text) == .needsMore)
    }
  }
}

/// The beginning of a request, in one line, for the report.
struct Bytes: Sendable, CustomTestStringConvertible {
  let text: String

  var testDescription: String { String(text.prefix(60)).debugDescription }
}
