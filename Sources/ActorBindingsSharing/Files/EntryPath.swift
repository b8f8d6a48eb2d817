/// The path of the file of a key, relative to the folder of the entries.
///
/// Different keys have different paths, also on file systems that do not tell upper from lower case or that normalize
/// Unicode: a path has only lower-case ASCII letters, digits, `-`, `_`, `.` and `%`. No path leaves the folder, because
/// slashes are encoded, and no part of a path begins with a dot. A long path is divided into folders, whose names end
/// in `+`, because file systems limit a name to 255 bytes.
package struct EntryPath: Hashable, Sendable {
  /// The largest number of bytes in a part of a path, without the `+`.
  package static let bytesPerPart = 200

  /// The path.
  package let text: String

  /// The path of a key. The key is not empty.
  package init(key: String) {
    var parts: [[UInt8]] = [[]]
    for byte in key.utf8 {
      let isFirst = parts[parts.count - 1].isEmpty
      let encoded = Self.isLiteral(byte, isFirst: isFirst) ? [byte] : Self.escape(byte)
      if parts[parts.count - 1].count + encoded.count > Self.bytesPerPart {
        // The part that begins here has a first byte of its own.
        parts.append(Self.isLiteral(byte, isFirst: true) ? [byte] : Self.escape(byte))
      } else {
        parts[parts.count - 1] += encoded
      }
    }
    text = parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "+/")
  }

  /// The path that was read from a folder, a journal or a lease; nil if it is the path of no key.
  package init?(text: String) {
    guard let key = Self.key(of: text), !key.isEmpty else { return nil }
    let path = EntryPath(key: key)
    guard path.text == text else { return nil }
    self = path
  }

  /// The key.
  package var key: String { Self.key(of: text) ?? "" }

  /// The folders in which the file is, the outermost first.
  var folders: [String] {
    let bytes = Array(text.utf8)
    return bytes.indices.filter { bytes[$0] == UInt8(ascii: "/") }
      .map { String(decoding: bytes[..<$0], as: UTF8.self) }
  }
}

extension EntryPath {
  private static func isLiteral(_ byte: UInt8, isFirst: Bool) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    case UInt8(ascii: "-"), UInt8(ascii: "_"): true
    case UInt8(ascii: "."): !isFirst
    default: false
    }
  }

  private static func escape(_ byte: UInt8) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }

  private static func key(of text: String) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+"):
        guard rest.popFirst() == UInt8(ascii: "/") else { return nil }
      case UInt8(ascii: "%"):
        guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
        else { return nil }
        bytes.append(value)
        rest.removeFirst(2)
      default:
        bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
