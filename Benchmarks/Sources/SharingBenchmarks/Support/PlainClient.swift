import Foundation

/// The floor of a request: a client of HTTP/1.1 by hand, on one blocking socket that stays open. It parses no JSON.
final class PlainClient {
  /// There was no whole answer, or etcd refused.
  struct Failure: Error {
    let message: String
  }

  private let wire: Wire
  private let port: UInt16
  private var buffer = [UInt8](repeating: 0, count: 16 << 10)

  init(port: UInt16) throws {
    wire = try Wire.connected(to: port)
    self.port = port
  }

  /// Posts JSON, and returns the answer with its headers.
  func post(_ path: String, _ body: [UInt8]) throws -> [UInt8] {
    guard wire.write(Self.request(path, body, port)) else { throw Failure(message: "the server is gone") }
    var answer: [UInt8] = []
    var end: Int?
    while true {
      guard wire.read(into: &answer, buffer: &buffer) else {
        throw Failure(message: "the answer of \(path) broke off")
      }
      if end == nil, let body = answer.end(of: Self.blankLine) {
        // An answer without a length comes in chunks, the last of which is empty.
        end = answer.number(after: Self.length).map { body + $0 } ?? .max
      }
      guard let end else { continue }
      if end == .max ? answer.ends(with: Self.lastChunk) : answer.count >= end { break }
    }
    guard answer.starts(with: Self.success) else {
      throw Failure(message: String(decoding: answer, as: UTF8.self))
    }
    return answer
  }

  /// The bytes of a request by POST.
  static func request(_ path: String, _ body: [UInt8], _ port: UInt16) -> [UInt8] {
    let lines = [
      "POST \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)", "Content-Type: application/json",
      "Content-Length: \(body.count)", "", "",
    ]
    return Array(lines.joined(separator: "\r\n").utf8) + body
  }

  private static let blankLine = Array("\r\n\r\n".utf8)
  private static let lastChunk = Array("\r\n0\r\n\r\n".utf8)
  private static let length = Array("Content-Length: ".utf8)
  private static let success = Array("HTTP/1.1 200".utf8)
}

// MARK: - Requests

extension PlainClient {
  /// Writes entries in one transaction, without a condition.
  func put(_ entries: [(key: String, value: String)]) throws {
    let operations = entries.map { #"{"request_put":{"key":"\#($0.base64)","value":"\#($1.base64)"}}"# }
    let body = #"{"success":[\#(operations.joined(separator: ","))]}"#
    let answer = try post("/v3/kv/txn", Array(body.utf8))
    try expect(
      answer.end(of: Array(#""succeeded":true"#.utf8)) != nil,
      "a transaction of \(entries.count) puts failed"
    )
  }

  /// Returns once a linearizable read of the member has succeeded.
  func checkHealth() throws {
    _ = try post("/v3/kv/range", Array(#"{"key":"\#("health".base64)"}"#.utf8))
  }
}

extension String {
  var base64: String { Data(utf8).base64EncodedString() }
}

extension [UInt8] {
  fileprivate func ends(with end: [UInt8]) -> Bool { suffix(end.count).elementsEqual(end) }

  /// The index after the first occurrence of `text`; nil if there is none. Foundation's search takes longer.
  func end(of text: [UInt8]) -> Int? {
    var begin = startIndex
    while let index = self[begin...].firstIndex(of: text[0]), index + text.count <= count {
      if self[index..<index + text.count].elementsEqual(text) { return index + text.count }
      begin = index + 1
    }
    return nil
  }

  /// The decimal number after the first occurrence of `text`; nil if there is none.
  func number(after text: [UInt8]) -> Int? {
    guard let begin = end(of: text) else { return nil }
    let digits = self[begin...].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    return Int(String(decoding: digits, as: UTF8.self))
  }
}
