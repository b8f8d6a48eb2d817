/// The bytes that `modify` writes: the tokens of the last writes of the entry, and the payload.
///
/// The first line is `@` and the tokens, the newest first, separated by commas. The payload follows. A store does not
/// look into these bytes. Bytes that do not begin with such a line are payload only: another tool wrote them.
package struct StoreEnvelope: Hashable, Sendable {
  /// The number of tokens that an entry keeps.
  package static let tokenLimit = 16

  // The first line, without its first and its last byte. It is taken apart only after a lost acknowledgement: doing so
  // for each change took a quarter of the time of a delivery over a store in memory.
  private let line: ArraySlice<UInt8>
  /// The encoded value.
  package let payload: ArraySlice<UInt8>

  /// The tokens of the last writes, the newest first.
  package var tokens: [String] {
    line.split(separator: Self.comma).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Takes the bytes of an entry apart. Copies none of them.
  package init(_ bytes: [UInt8]) {
    guard bytes.first == UInt8(ascii: "@"), let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
      Self.isText(bytes[1..<end])
    else {
      line = []
      payload = bytes[...]
      return
    }
    line = bytes[1..<end]
    payload = bytes[(end + 1)...]
  }

  private static func isText(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.allSatisfy { $0 < 0x80 } || String(validating: bytes, as: UTF8.self) != nil
  }

  /// Puts the newest token before those of the entry that is replaced.
  package init(token: String, after replaced: StoreEnvelope?, payload: [UInt8]) {
    var line = Array(token.utf8)
    let former = Self.newest(Self.tokenLimit - 1, of: replaced?.line ?? [])
    if !former.isEmpty {
      line.append(Self.comma)
      line += former
    }
    self.line = line[...]
    self.payload = payload[...]
  }

  // The part of a line that has the first `count` tokens.
  private static func newest(_ count: Int, of line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var missing = count
    for index in line.indices where line[index] == comma {
      missing -= 1
      if missing == 0 { return line[..<index] }
    }
    return line
  }

  /// The bytes of the entry.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(line.count + payload.count + 2)
    bytes.append(UInt8(ascii: "@"))
    bytes += line
    bytes.append(UInt8(ascii: "\n"))
    bytes += payload
    return bytes
  }

  private static let comma = UInt8(ascii: ",")

  /// A new token, which no other write has.
  package static func makeToken() -> String {
    var random = SystemRandomNumberGenerator()
    return String(random.next() as UInt64, radix: 36)
  }
}
