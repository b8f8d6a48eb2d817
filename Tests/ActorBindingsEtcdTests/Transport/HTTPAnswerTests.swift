import ActorBindingsEtcd
import Testing

@Suite struct HTTPAnswerTests {
  private struct Outcome: Hashable {
    var status: Int?
    var body = ""
    var isWhole = false
    var keepsConnection = false
  }

  /// Reads an answer that comes in parts of `size` bytes.
  private func outcome(_ text: String, size: Int, ends: Bool = false) throws -> Outcome {
    var answer = HTTPAnswer()
    var outcome = Outcome()
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let news = try answer.bytesCame(rest.prefix(size))
      rest = rest.dropFirst(size)
      if let status = news.status { outcome.status = status }
      outcome.body += String(decoding: news.body, as: UTF8.self)
    }
    if ends { _ = answer.connectionEnded() }
    outcome.isWhole = answer.isWhole
    outcome.keepsConnection = answer.keepsConnection
    return outcome
  }

  @Test(arguments: [1, 2, 3, 7, 1000])
  func `an answer may be divided anywhere`(size: Int) throws {
    let whole = Outcome(status: 200, body: "abcde", isWhole: true, keepsConnection: true)
    #expect(try outcome("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcde", size: size) == whole)
    let chunked =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nTrailer: t\r\n\r\n"
    #expect(try outcome(chunked, size: size) == whole)
    #expect(try outcome(String(chunked.dropLast(2)), size: size).isWhole == false)
  }

  @Test(arguments: [1, 1000])
  func `answers of 1xx are skipped`(size: Int) throws {
    let text = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 X\r\nA: b\r\n\r\nHTTP/1.1 204 X\r\n\r\n"
    #expect(try outcome(text, size: size) == Outcome(status: 204, isWhole: true, keepsConnection: true))
  }

  @Test func `an answer without a length ends with the connection`() throws {
    let text = "HTTP/1.1 200 OK\r\n\r\nab"
    #expect(try outcome(text, size: 9) == Outcome(status: 200, body: "ab"))
    #expect(try outcome(text, size: 9, ends: true) == Outcome(status: 200, body: "ab", isWhole: true))
  }

  @Test func `an answer that is cut is not whole`() throws {
    #expect(try !outcome("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab", size: 9, ends: true).isWhole)
  }

  @Test(arguments: ["HTTP/1.1 200 OK\r\nConnection: close\r\n", "HTTP/1.0 200 OK\r\n"])
  func `a connection that the server closes is not kept`(head: String) throws {
    let outcome = try outcome(head + "Content-Length: 0\r\n\r\n", size: 1000)
    #expect(outcome == Outcome(status: 200, isWhole: true))
  }

  @Test func `a connection with bytes after the answer is not kept`() throws {
    #expect(try !outcome("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nx", size: 1000).keepsConnection)
  }

  @Test(arguments: [
    "SSH-2.0\r\n", "HTTP/1.1 abc\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
    "HTTP/1.1 200 OK\r\nA: " + String(repeating: "a", count: HTTPAnswer.lineLimit),
  ])
  func `what is no answer is malformed`(text: String) {
    #expect(throws: HTTPAnswer.Malformed.self) { try outcome(text, size: 1000) }
  }
}

@Suite struct HTTPRequestTests {
  @Test func `a URL names host, port and target`() throws {
    let request = try HTTPRequest("http://[::1]:2379/v3/x", body: [65], headers: ["A": "b"])
    #expect(request.host == "::1")
    #expect(request.port == 2379)
    #expect(
      String(decoding: request.bytes, as: UTF8.self)
        == "POST /v3/x HTTP/1.1\r\nHost: [::1]:2379\r\nContent-Type: application/json\r\n"
        + "Content-Length: 1\r\nA: b\r\n\r\nA"
    )
    #expect(try HTTPRequest("http://a", body: [], headers: [:]).port == 80)
  }

  @Test(arguments: [
    "https://a/", "http:///x", "http://a:b/", "http://a:99999/", "http://u@a/", "http://a/\r\nB: c",
  ])
  func `a URL that names no host is not sent to`(url: String) {
    #expect(throws: EtcdTransportError.self) { try HTTPRequest(url, body: [], headers: [:]) }
  }

  @Test func `a header cannot add another header`() {
    #expect(throws: EtcdTransportError.self) {
      try HTTPRequest("http://a/", body: [], headers: ["A": "b\r\nC: d"])
    }
  }
}
