/// The bytes that `modify` writes: the tokens of the last writes of the entry, and the payload.
///
/// The first line is `@` and the tokens, the newest first, separated by commas. The payload follows. A store does not
/// look into these bytes. Bytes that do not begin with such a line are payload only: another tool wrote them.
package struct StoreEnvelope: Hashable, Sendable {
  /// The number of tokens that an entry keeps.
  package static let tokenLimit = 16

  /// The tokens of the last writes, the newest first.
  package let tokens: [String]
  /// The encoded value.
  package let payload: [UInt8]

  /// Takes the bytes of an entry apart.
  package init(_ bytes: [UInt8]) {
    guard bytes.first == UInt8(ascii: "@"), let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
      let line = String(validating: bytes[1..<end], as: UTF8.self)
    else {
      tokens = []
      payload = bytes
      return
    }
    // By bytes, because a search by characters took more than half of the time of a delivery over a store in memory.
    tokens = line.utf8.split(separator: UInt8(ascii: ",")).map { String(Substring($0)) }
    payload = Array(bytes[(end + 1)...])
  }

  /// Puts the newest token before those of the entry that is replaced.
  package init(token: String, after replaced: StoreEnvelope?, payload: [UInt8]) {
    tokens = [token] + (replaced?.tokens ?? []).prefix(Self.tokenLimit - 1)
    self.payload = payload
  }

  /// The bytes of the entry.
  package var bytes: [UInt8] {
    Array("@\(tokens.joined(separator: ","))\n".utf8) + payload
  }

  /// A new token, which no other write has.
  package static func makeToken() -> String {
    var random = SystemRandomNumberGenerator()
    return String(random.next() as UInt64, radix: 36)
  }
}
