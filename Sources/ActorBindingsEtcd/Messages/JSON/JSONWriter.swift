/// A message that can be written as JSON.
protocol JSONWritable {
  func write(to writer: inout JSONWriter)
}

/// Writes JSON: its caller writes the fields of an object in the order of their names, so that equal messages have equal
/// bytes.
///
/// Foundation's encoder takes as long as a twentieth of a write.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []
  // Whether the object or array under way has an element.
  private var hasElement = false

  init() {
    bytes.reserveCapacity(512)
  }

  /// Writes an object, whose fields `body` writes.
  mutating func object(_ body: (inout JSONWriter) -> Void) {
    enclosed("{", "}", body)
  }

  /// Writes an array of messages.
  mutating func array(_ elements: [some JSONWritable]) {
    enclosed("[", "]") { writer in
      for element in elements {
        writer.separate()
        element.write(to: &writer)
        writer.hasElement = true
      }
    }
  }

  /// Writes a field, whose value `body` writes.
  mutating func field(_ name: StaticString, _ body: (inout JSONWriter) -> Void) {
    separate()
    append("\"")
    append(name)
    append("\":")
    body(&self)
    hasElement = true
  }

  /// Writes a field that has bytes.
  mutating func field(_ name: StaticString, base64 value: [UInt8]) {
    field(name) { writer in
      writer.append("\"")
      Base64.encode(value, into: &writer.bytes)
      writer.append("\"")
    }
  }

  /// Writes a field that has a number of 64 bits, as a string: JSON's numbers are not exact beyond 53 bits.
  mutating func field(_ name: StaticString, _ value: UInt64) {
    field(name, String(value))
  }

  mutating func field(_ name: StaticString, _ value: Bool) {
    field(name) { $0.append(value ? "true" : "false") }
  }

  mutating func field(_ name: StaticString, _ value: String) {
    field(name) { $0.string(value) }
  }

  private mutating func string(_ value: String) {
    append("\"")
    for byte in value.utf8 {
      if byte < 0x20 {
        append(byte < 0x10 ? "\\u000" : "\\u001")
        bytes += String(byte & 0xf, radix: 16).utf8
      } else {
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { append("\\") }
        bytes.append(byte)
      }
    }
    append("\"")
  }

  private mutating func enclosed(
    _ open: StaticString,
    _ close: StaticString,
    _ body: (inout JSONWriter) -> Void
  ) {
    append(open)
    hasElement = false
    body(&self)
    append(close)
  }

  private mutating func separate() {
    if hasElement { append(",") }
  }

  private mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
  }
}
