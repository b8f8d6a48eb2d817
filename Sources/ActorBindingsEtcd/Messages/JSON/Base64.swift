/// Base64 with padding, in which etcd's JSON has keys and values.
package enum Base64 {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  // The value of each byte; 64 for a byte that is no digit.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 64, count: 256)
    for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
    return values
  }()
  private static let padding = UInt8(ascii: "=")

  /// Appends the digits of `bytes` to `text`.
  package static func encode(_ bytes: [UInt8], into text: inout [UInt8]) {
    let digits = digits
    text.reserveCapacity(text.count + (bytes.count + 2) / 3 * 4)
    var index = 0
    while index < bytes.count {
      let count = min(bytes.count - index, 3)
      let second = count > 1 ? bytes[index + 1] : 0
      let third = count > 2 ? bytes[index + 2] : 0
      let group = UInt32(bytes[index]) << 16 | UInt32(second) << 8 | UInt32(third)
      text.append(digits[Int(group >> 18)])
      text.append(digits[Int(group >> 12 & 63)])
      text.append(count > 1 ? digits[Int(group >> 6 & 63)] : padding)
      text.append(count > 2 ? digits[Int(group & 63)] : padding)
      index += 3
    }
  }

  /// Returns the bytes whose digits are `text`; nil if it is no base64.
  package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    guard text.count.isMultiple(of: 4) else { return nil }
    let padded = text.suffix(2).count { $0 == padding }
    let digits = text.dropLast(padded)
    if padded == 1, text[text.endIndex - 1] != padding { return nil }
    let values = values
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var (group, bits): (UInt32, UInt32) = (0, 0)
    for digit in digits {
      let value = values[Int(digit)]
      if value == 64 { return nil }
      group = group << 6 | UInt32(value)
      bits += 6
      if bits < 8 { continue }
      bits -= 8
      bytes.append(UInt8(truncatingIfNeeded: group >> bits))
    }
    return bytes
  }
}
