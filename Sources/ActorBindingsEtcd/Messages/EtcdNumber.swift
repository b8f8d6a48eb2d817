/// A 64-bit number of etcd's JSON: a string of digits there, because JSON's numbers are not exact beyond 53 bits.
///
/// etcd leaves out fields that are zero, so fields of this type are optional.
struct EtcdNumber: Hashable, Codable, Sendable {
  var value: UInt64

  init(_ value: UInt64) {
    self.value = value
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    // etcd writes strings, and a failed attempt takes long: so the string first.
    let text = try? container.decode(String.self)
    guard let number = try text.map({ UInt64($0) }) ?? container.decode(UInt64.self) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no number of 64 bits")
    }
    value = number
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(String(value))
  }
}
