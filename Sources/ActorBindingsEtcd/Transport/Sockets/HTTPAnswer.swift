/// Reads one answer of HTTP/1.1 from the bytes of a connection.
///
/// States:
/// - `firstLine`, `headers`: The head comes. After a head with a status of 1xx another head comes.
/// - `counted(n)`: `n` bytes of the body are missing.
/// - `untilEnd`: The body ends with the connection.
/// - `chunkSize`, `chunk(n)`, `chunkEnd`, `trailers`: The body comes in chunks.
/// - `whole`: The answer has come.
///
/// Transitions:
///
/// | from | bytes | to | result |
/// |---|---|---|---|
/// | `firstLine` | a line | `headers` | |
/// | `headers` | an empty line | `firstLine` for 1xx, else the form of the body | the status, unless 1xx |
/// | `counted(n)` | up to n | `counted(rest)`, or `whole` | the bytes |
/// | `untilEnd` | any | `untilEnd` | the bytes |
/// | `chunkSize` | a line | `chunk(n)`; `trailers` for 0 | |
/// | `chunk(n)` | up to n | `chunk(rest)`, or `chunkEnd` | the bytes |
/// | `chunkEnd` | an empty line | `chunkSize` | |
/// | `trailers` | an empty line | `whole` | |
///
/// Behavior: Each byte is looked at a constant number of times, however the bytes are divided. Lines are limited, and so
/// is their number.
package struct HTTPAnswer: Sendable {
  private enum State: Hashable {
    case firstLine, headers, untilEnd, chunkSize, chunkEnd, trailers, whole
    case counted(Int), chunk(Int)
  }

  /// What is no answer of HTTP/1.1.
  package struct Malformed: Error, Hashable, Sendable {
    package let message: String
  }

  /// What bytes brought.
  package struct News: Hashable, Sendable {
    /// The status, if the head is complete now.
    package var status: Int?
    /// The part of the body.
    package var body: [UInt8] = []
  }

  /// The largest number of bytes of the lines of a head, and of one line later.
  package static let lineLimit = 64 << 10

  private var state = State.firstLine
  private var line: [UInt8] = []
  private var headBytes = 0
  private var status = 0
  private var length: Int?
  private var isChunked = false
  private var closes = false
  private var hasMore = false

  package init() {}

  /// Whether the answer has come.
  package var isWhole: Bool { state == .whole }
  /// Whether the connection can carry another request.
  package var keepsConnection: Bool { isWhole && !closes && !hasMore }

  /// Bytes came.
  package mutating func bytesCame(_ bytes: ArraySlice<UInt8>) throws(Malformed) -> News {
    var news = News()
    var rest = bytes
    while !rest.isEmpty {
      switch state {
      case .whole:
        hasMore = true
        return news
      case .untilEnd:
        news.body += rest
        return news
      case .counted(let missing):
        let part = rest.prefix(missing)
        news.body += part
        rest = rest.dropFirst(part.count)
        state = part.count == missing ? .whole : .counted(missing - part.count)
      case .chunk(let missing):
        let part = rest.prefix(missing)
        news.body += part
        rest = rest.dropFirst(part.count)
        state = part.count == missing ? .chunkEnd : .chunk(missing - part.count)
      case .firstLine, .headers, .chunkSize, .chunkEnd, .trailers:
        try lineBytesCame(&rest, &news)
      }
    }
    return news
  }

  /// The connection ended. Returns whether the answer has come.
  package mutating func connectionEnded() -> Bool {
    closes = true
    if state == .untilEnd { state = .whole }
    return isWhole
  }

  private mutating func lineBytesCame(_ rest: inout ArraySlice<UInt8>, _ news: inout News) throws(Malformed) {
    let end = rest.firstIndex(of: UInt8(ascii: "\n"))
    let part = rest[..<(end ?? rest.endIndex)]
    line += part
    headBytes += part.count + 1
    if headBytes > Self.lineLimit { throw Malformed(message: "the head of an answer is too long") }
    rest = rest[(end.map { $0 + 1 } ?? rest.endIndex)...]
    guard end != nil else { return }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    defer { line.removeAll(keepingCapacity: true) }
    // Headers are most of the lines. By bytes, because strings took a seventh of the time of a write here.
    if state == .headers, !line.isEmpty { return try headerCame() }
    try lineCame(String(decoding: line, as: UTF8.self), &news)
  }

  private mutating func lineCame(_ text: String, _ news: inout News) throws(Malformed) {
    switch state {
    case .firstLine:
      let words = text.split(separator: " ", maxSplits: 2)
      guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]), 100...599 ~= status
      else { throw Malformed(message: "there was no answer of HTTP, but \"\(text.prefix(100))\"") }
      self.status = status
      (length, isChunked, closes) = (nil, false, words[0] == "HTTP/1.0")
      state = .headers
    case .headers:
      headEnded(&news)
    case .chunkSize:
      headBytes = 0
      let digits = text.prefix { $0 != ";" && $0 != " " }
      guard let size = Int(digits, radix: 16), size >= 0 else {
        throw Malformed(message: "\"\(text.prefix(100))\" is no size of a chunk")
      }
      state = size == 0 ? .trailers : .chunk(size)
    case .chunkEnd:
      guard text.isEmpty else { throw Malformed(message: "a chunk is longer than its size") }
      state = .chunkSize
    case .trailers:
      if text.isEmpty { state = .whole }
    case .untilEnd, .whole, .counted, .chunk:
      break
    }
  }

  private mutating func headEnded(_ news: inout News) {
    headBytes = 0
    if status < 200 {
      state = .firstLine
      return
    }
    news.status = status
    if status == 204 || status == 304 {
      state = .whole
    } else if isChunked {
      state = .chunkSize
    } else if let length {
      state = length == 0 ? .whole : .counted(length)
    } else {
      state = .untilEnd
    }
  }

  private mutating func headerCame() throws(Malformed) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
      throw Malformed(message: "a header has no colon")
    }
    guard let header = Header(line[..<colon]) else { return }
    let text = String(decoding: line[colon...].dropFirst(), as: UTF8.self)
    let value = text.lowercased().trimmingSpaces
    switch header {
    case .length:
      guard let number = Int(value), number >= 0, length == nil || length == number else {
        throw Malformed(message: "\"\(value.prefix(100))\" is no length of a body")
      }
      length = number
    case .encoding:
      guard value == "chunked" else {
        throw Malformed(message: "the transfer encoding \"\(value.prefix(100))\" is not known")
      }
      isChunked = true
    case .connection:
      if value.contains("close") { closes = true }
    }
  }

  /// The headers that say how an answer ends.
  private enum Header {
    case length, encoding, connection

    /// The header with a name; nil for another one.
    init?(_ name: ArraySlice<UInt8>) {
      if Self.isEqual(name, "content-length") {
        self = .length
      } else if Self.isEqual(name, "transfer-encoding") {
        self = .encoding
      } else if Self.isEqual(name, "connection") {
        self = .connection
      } else {
        return nil
      }
    }

    // Without regard to the case. The bit is that of lower case; a name has no other bytes that differ in it only.
    private static func isEqual(_ name: ArraySlice<UInt8>, _ lowercased: StaticString) -> Bool {
      guard name.count == lowercased.utf8CodeUnitCount else { return false }
      return lowercased.withUTF8Buffer { unsafe $0.elementsEqual(name) { $0 == $1 | 0x20 } }
    }
  }
}

extension String {
  /// The string without the spaces and tabs at its ends.
  fileprivate var trimmingSpaces: String {
    let bytes = utf8.drop(while: Self.isSpace)
    return String(decoding: bytes.prefix(bytes.reversed().drop(while: Self.isSpace).count), as: UTF8.self)
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
}
