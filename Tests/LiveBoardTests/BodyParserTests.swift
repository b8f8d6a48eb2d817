import LiveBoard
import Testing
import WebServer

@Suite("A body parser")
struct BodyParserTests {
  private static func outcome(of text: String, _ body: Request.Body) -> BodyParser.Outcome? {
    var request = Request(method: "POST", path: "/")
    request.body = body
    var parser = BodyParser(of: request)
    return parser?.received(text.utf8)
  }

  private static let longest = BodyParser.longestBody

  /// A body, and what the parser makes of it.
  struct Sample: Sendable, CustomTestStringConvertible {
    let body: Request.Body
    let text: String
    let outcome: BodyParser.Outcome

    var testDescription: String { String(text.prefix(60)).debugDescription }
  }

  private static func samples(_ body: Request.Body, _ outcome: BodyParser.Outcome, _ texts: [String])
    -> [Sample]
  {
    texts.map { Sample(body: body, text: $0, outcome: outcome) }
  }

  private static let ones = String(repeating: "1\r\na\r\n", count: longest)
  private static let tooLong = String(longest + 1, radix: 16)
  private static let longExtension = "5;" + String(repeating: "a", count: longest)

  static let bodies: [Sample] = [
    samples(.counted(5), .complete, ["hello", "hello, and more"]),
    samples(.counted(5), .needsMore, ["hell", ""]),
    samples(.counted(longest), .needsMore, ["a"]),
    samples(.counted(longest + 1), .refused(.bodyRefused), [""]),
    samples(.counted(.max), .refused(.bodyRefused), [""]),
    samples(
      .chunked,
      .complete,
      [
        "0\r\n\r\n", "000\r\n\r\nmore", "5\r\nhello\r\n0\r\n\r\n", "2\r\n\r\n\r\n0\r\n\r\n",
        "1;name=value\r\na\r\nA \r\n0123456789\r\n0\r\nExpires: never\r\n\r\n",
      ]
    ),
    samples(.chunked, .needsMore, ["", "5\r\nhello\r\n", "0\r\n", "0\r\nExpires: never\r\n"]),
    samples(
      .chunked,
      .refused(.badRequest),
      ["\r\n", "x\r\n", "-1\r\n", "0x5\r\n", "5\n", "5\r\r\n", "1\r\nab\r\n", "0\r\n\n"]
    ),
    samples(
      .chunked,
      .refused(.bodyRefused),
      ["FFFFFFFFFFFFFFFFFFFF\r\n", "\(tooLong)\r\n", ones, longExtension]
    ),
  ].flatMap(\.self)

  @Test("finds the end of a body", arguments: bodies)
  func ends(_ sample: Sample) {
    #expect(Self.outcome(of: sample.text, sample.body) == sample.outcome)
  }

  @Test("has the same result wherever the bytes are cut", arguments: bodies)
  func cuts(_ sample: Sample) {
    var request = Request(method: "POST", path: "/")
    request.body = sample.body
    let utf8 = Array(sample.text.utf8)
    for cut in stride(from: 0, through: utf8.count, by: max(1, utf8.count / 100)) {
      guard var parser = BodyParser(of: request) else { continue }
      var outcome = parser.received(utf8[..<cut])
      if outcome == .needsMore { outcome = parser.received(utf8[cut...]) }
      #expect(outcome == sample.outcome, "cut at \(cut)")
    }
  }

  @Test("is not made for a request without a body", arguments: ["", "Content-Length: 0\r\n"])
  func none(_ header: String) throws {
    let request = try Self.request(header)
    #expect(request.body == .none && BodyParser(of: request) == nil)
  }

  @Test(
    "is told by the head what follows",
    arguments: [
      ("Content-Length: 1\r\n", .counted(1)), ("Content-Length: 1\r\ncontent-length: 01\r\n", .counted(1)),
      ("Content-Length: 99999999999999999999\r\n", .counted(.max)),
      ("Transfer-Encoding: Chunked\r\n", .chunked),
    ] as [(String, Request.Body)]
  )
  func heads(_ header: String, _ body: Request.Body) throws {
    #expect(try Self.request(header).body == body)
    #expect(try !Self.request(header).expectsContinue)
    #expect(try Self.request("Expect: 100-Continue\r\n\(header)").expectsContinue)
  }

  private static func request(_ headers: String) throws -> Request {
    var parser = RequestParser()
    let outcome = parser.received("POST / HTTP/1.1\r\nHost: a\r\n\(headers)\r\n".utf8)
    guard case .request(let request) = outcome else { throw Refusal(outcome: outcome) }
    return request
  }

  private struct Refusal: Error {
    let outcome: RequestParser.Outcome
  }
}
