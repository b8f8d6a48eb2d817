/// Parses a request from the bytes of a connection, in pieces of any size. A parser parses one request, after which the
/// server closes the connection.
///
/// ### States
/// - *line n*: the head is being read; n lines of it are complete.
/// - *over*: it has returned `request` or `refused`, and must not be called again.
///
/// ### Behavior
/// The parser keeps at most one line, and only as much of the line as the limits allow. The parser ignores empty lines
/// before the request line, as RFC 9112 says. It refuses what it does not support: lines that end without a carriage
/// return, folded headers, versions other than 1.0 and 1.1, and targets in asterisk or authority form. It refuses a
/// request whose body has two lengths, because another server might read it as two requests. A `BodyParser` reads the
/// body.
package struct RequestParser: Sendable {
  package enum Outcome: Sendable, Equatable {
    case needsMore
    case request(Request)
    case refused(Status)
  }

  package static let longestTarget = 2_000
  package static let longestHead = 8_000

  private var reader = LineReader()
  private var line: [UInt8] { reader.line }
  /// The number of bytes that were parsed.
  package private(set) var size = 0
  private var request: Request?
  private var isNewer = false
  private var hosts = 0
  private var length: Int?
  private var expectsContinue = false

  package init() {}

  /// Parses the next bytes. Ignores bytes after the request.
  package mutating func received(_ bytes: some Sequence<UInt8>) -> Outcome {
    for byte in bytes {
      let outcome = received(byte)
      if outcome != .needsMore { return outcome }
    }
    return .needsMore
  }

  private mutating func received(_ byte: UInt8) -> Outcome {
    size += 1
    if request == nil, size > Self.longestTarget { return .refused(.targetTooLong) }
    if size > Self.longestHead { return .refused(.headTooLarge) }

    switch reader.received(byte) {
    case .needsMore: return .needsMore
    case .malformed: return .refused(.badRequest)
    case .complete:
      defer { reader.clear() }
      return completed()
    }
  }

  private mutating func completed() -> Outcome {
    let status: Status?
    if request == nil {
      status = line.isEmpty ? nil : readRequestLine()
    } else if line.isEmpty {
      guard var request, hosts == 1 || !isNewer && hosts == 0 else { return .refused(.badRequest) }
      if let length, length > 0 { request.body = .counted(length) }
      request.expectsContinue = isNewer && expectsContinue && request.body != .none
      return .request(request)
    } else {
      status = readHeader()
    }
    return status.map(Outcome.refused) ?? .needsMore
  }

  // `GET /events?symbol=ACME HTTP/1.1`
  private mutating func readRequestLine() -> Status? {
    let parts = line.split(separator: space, omittingEmptySubsequences: false)
    guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty }) else { return .badRequest }
    guard parts[0].allSatisfy(\.isTokenByte), parts[1].allSatisfy({ $0 > space && $0 < 0x7F }) else {
      return .badRequest
    }
    let version = parts[2]
    guard version.starts(with: "HTTP/".utf8), version.count == 8, version[version.startIndex + 6] == dot,
      version[version.startIndex + 5].isDigit, version[version.startIndex + 7].isDigit
    else { return .badRequest }
    isNewer = version.elementsEqual("HTTP/1.1".utf8)
    if !isNewer, !version.elementsEqual("HTTP/1.0".utf8) { return .unknownVersion }

    request = Request(method: text(parts[0]), target: Array(parts[1]))
    return request == nil ? .badRequest : nil
  }

  // `Last-Event-ID: 17`
  private mutating func readHeader() -> Status? {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return .badRequest }
    // A line that begins with a space is a folded header, which is obsolete.
    guard line[..<colon].allSatisfy(\.isTokenByte) else { return .badRequest }
    var bytes = line[(colon + 1)...]
    while let byte = bytes.first, byte == space || byte == tab { bytes.removeFirst() }
    while let byte = bytes.last, byte == space || byte == tab { bytes.removeLast() }
    guard bytes.allSatisfy({ $0 >= space && $0 != 0x7F || $0 == tab }) else { return .badRequest }
    let value = text(bytes)

    switch text(line[..<colon]).lowercased() {
    case "host":
      hosts += 1
      // The host of a target in absolute form takes precedence.
      if request?.host == nil { request?.host = value }
    case "origin": request?.origin = value
    case "content-length":
      guard !value.isEmpty, value.utf8.allSatisfy(\.isDigit) else { return .badRequest }
      let count = Int(value) ?? .max
      // The same length twice is one length.
      guard length == nil || length == count, request?.body != .chunked else { return .badRequest }
      length = count
    case "transfer-encoding":
      // An older client does not know this header.
      guard isNewer, length == nil, request?.body != .chunked else { return .badRequest }
      guard value.lowercased() == "chunked" else { return .unknownCoding }
      request?.body = .chunked
    case "expect": expectsContinue = value.lowercased() == "100-continue"
    case "last-event-id": request?.lastEventID = UInt64(value)
    default: break
    }
    return nil
  }
}

let space = UInt8(ascii: " ")
let tab = UInt8(ascii: "\t")
let carriageReturn = UInt8(ascii: "\r")
let lineFeed = UInt8(ascii: "\n")
private let dot = UInt8(ascii: ".")

private func text(_ bytes: ArraySlice<UInt8>) -> String {
  String(decoding: bytes, as: UTF8.self)
}

extension UInt8 {
  fileprivate var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

  // The characters of a method or of a header's name.
  fileprivate var isTokenByte: Bool {
    isDigit || self | 0x20 >= UInt8(ascii: "a") && self | 0x20 <= UInt8(ascii: "z")
      || "!#$%&'*+-.^_`|~".utf8.contains(self)
  }
}
