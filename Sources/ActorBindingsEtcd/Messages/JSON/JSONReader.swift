/// A message that can be read from JSON.
protocol JSONReadable {
  init(from reader: inout JSONReader) throws(JSONReader.Malformed)
}

/// Reads JSON from its first byte to its last: its caller says what it expects next.
///
/// Foundation's decoder takes as long as a twentieth of a write, for the answer of the write and again for the change
/// that a watch brings.
///
/// - Behavior: A field whose value is null is skipped. So is one whose name is not known, with all that it contains. Each
///   byte is looked at a constant number of times, and nested arrays and objects take no stack.
package struct JSONReader {
  /// The bytes are no JSON, or other JSON than expected.
  package struct Malformed: Error, Hashable {}

  private let bytes: [UInt8]
  private var next = 0

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Reads one message, after which no other may follow; nil if the bytes are none.
  static func read<Message: JSONReadable>(_ type: Message.Type, from bytes: [UInt8]) -> Message? {
    var reader = JSONReader(bytes)
    guard let message = try? Message(from: &reader) else { return nil }
    reader.skipSpace()
    return reader.next == bytes.count ? message : nil
  }

  // MARK: Structure

  /// Reads an object. Calls `read` with the name of each field; it returns false to skip the value.
  package mutating func object(
    _ read: (String, inout JSONReader) throws(Malformed) -> Bool
  ) throws(Malformed) {
    try expect("{")
    if takes("}") { return }
    repeat {
      let name = try string()
      try expect(":")
      if takesNull() { continue }
      if try !read(name, &self) { try skip() }
    } while takes(",")
    try expect("}")
  }

  /// Reads an array of messages.
  mutating func array<Message: JSONReadable>(of type: Message.Type) throws(Malformed) -> [Message] {
    var messages: [Message] = []
    try expect("[")
    if takes("]") { return messages }
    repeat { messages.append(try Message(from: &self)) } while takes(",")
    try expect("]")
    return messages
  }

  // Skips a value of any kind. Counts what is open instead of calling itself. Of what it skips, it checks only that
  // strings end and that brackets are balanced.
  private mutating func skip() throws(Malformed) {
    var depth = 0
    repeat {
      skipSpace()
      guard let byte = current else { throw Malformed() }
      switch byte {
      case UInt8(ascii: "\""): _ = try rawString()
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        next += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { throw Malformed() }
        depth -= 1
        next += 1
      case UInt8(ascii: ","), UInt8(ascii: ":"):
        if depth == 0 { throw Malformed() }
        next += 1
      default: try skipWord()
      }
    } while depth > 0
  }

  private mutating func skipWord() throws(Malformed) {
    let begin = next
    while let byte = current, Self.isOfWord(byte) { next += 1 }
    if next == begin { throw Malformed() }
  }

  private static func isOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "E"),
      UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
      true
    default: false
    }
  }
}

// MARK: - Values

extension JSONReader {
  package mutating func bool() throws(Malformed) -> Bool {
    if takesWord("true") { return true }
    if takesWord("false") { return false }
    throw Malformed()
  }

  /// Reads a number of 64 bits: a string of digits, as etcd writes it, or a number of JSON.
  package mutating func number() throws(Malformed) -> UInt64 {
    skipSpace()
    let isString = current == UInt8(ascii: "\"")
    if isString { next += 1 }
    let begin = next
    var value: UInt64 = 0
    while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
      let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
      let (sum, isLarger) = product.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
      if isTooLarge || isLarger { throw Malformed() }
      value = sum
      next += 1
    }
    if next == begin { throw Malformed() }
    if isString {
      guard current == UInt8(ascii: "\"") else { throw Malformed() }
      next += 1
    } else if let byte = current, Self.isOfWord(byte) {
      throw Malformed()
    }
    return value
  }

  /// Reads a string of base64.
  package mutating func base64() throws(Malformed) -> [UInt8] {
    let raw = try rawString()
    let decoded =
      raw.contains(UInt8(ascii: "\\"))
      ? Base64.decode(Array(try Self.unescaped(raw).utf8)[...]) : Base64.decode(raw)
    guard let decoded else { throw Malformed() }
    return decoded
  }

  package mutating func string() throws(Malformed) -> String {
    let raw = try rawString()
    if raw.contains(UInt8(ascii: "\\")) { return try Self.unescaped(raw) }
    guard let text = String(validating: raw, as: UTF8.self) else { throw Malformed() }
    return text
  }

  // Reads a string, and returns what is between its quotation marks.
  private mutating func rawString() throws(Malformed) -> ArraySlice<UInt8> {
    try expect("\"")
    let begin = next
    while let byte = current {
      if byte == UInt8(ascii: "\"") {
        next += 1
        return bytes[begin..<next - 1]
      }
      if byte < 0x20 { throw Malformed() }
      next += byte == UInt8(ascii: "\\") ? 2 : 1
    }
    throw Malformed()
  }

  private static func unescaped(_ raw: ArraySlice<UInt8>) throws(Malformed) -> String {
    var text: [UInt8] = []
    var rest = raw
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        text.append(byte)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "n"): text.append(0x0a)
      case UInt8(ascii: "t"): text.append(0x09)
      case UInt8(ascii: "r"): text.append(0x0d)
      case UInt8(ascii: "b"): text.append(0x08)
      case UInt8(ascii: "f"): text.append(0x0c)
      case UInt8(ascii: "u"): text += String(try scalar(of: &rest)).utf8
      case let other? where "\"\\/".utf8.contains(other): text.append(other)
      default: throw Malformed()
      }
    }
    guard let string = String(validating: text, as: UTF8.self) else { throw Malformed() }
    return string
  }

  // Reads the digits of an escaped scalar, and the second half of a surrogate pair.
  private static func scalar(of rest: inout ArraySlice<UInt8>) throws(Malformed) -> Character {
    var units = [try unit(of: &rest)]
    if UTF16.isLeadSurrogate(units[0]) {
      guard rest.popFirst() == UInt8(ascii: "\\"), rest.popFirst() == UInt8(ascii: "u") else {
        throw Malformed()
      }
      units.append(try unit(of: &rest))
    }
    guard let text = String(validating: units, as: UTF16.self), let character = text.first else {
      throw Malformed()
    }
    return character
  }

  private static func unit(of rest: inout ArraySlice<UInt8>) throws(Malformed) -> UInt16 {
    let digits = rest.prefix(4)
    rest = rest.dropFirst(4)
    guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    else {
      throw Malformed()
    }
    return unit
  }
}

// MARK: - Bytes

extension JSONReader {
  private var current: UInt8? { next < bytes.count ? bytes[next] : nil }

  private mutating func skipSpace() {
    while let byte = current, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { next += 1 }
  }

  private mutating func takes(_ byte: Unicode.Scalar) -> Bool {
    skipSpace()
    guard current == UInt8(ascii: byte) else { return false }
    next += 1
    return true
  }

  private mutating func expect(_ byte: Unicode.Scalar) throws(Malformed) {
    if !takes(byte) { throw Malformed() }
  }

  private mutating func takesNull() -> Bool { takesWord("null") }

  private mutating func takesWord(_ word: StaticString) -> Bool {
    skipSpace()
    let end = next + word.utf8CodeUnitCount
    guard end <= bytes.count, word.withUTF8Buffer({ unsafe $0.elementsEqual(bytes[next..<end]) }) else {
      return false
    }
    next = end
    return true
  }
}
