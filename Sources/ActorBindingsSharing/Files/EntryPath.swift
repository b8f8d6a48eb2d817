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
    var bytes: [UInt8] = []
    bytes.reserveCapacity(key.utf8.count)
    var partCount = 0
    for byte in key.utf8 {
      var isLiteral = Self.isLiteral(byte, isFirst: partCount == 0)
      if partCount + Self.count(isLiteral) > Self.bytesPerPart {
        bytes += [UInt8(ascii: "+"), UInt8(ascii: "/")]
        partCount = 0
        isLiteral = Self.isLiteral(byte, isFirst: true)
      }
      if isLiteral { bytes.append(byte) } else { Self.escape(byte, to: &bytes) }
      partCount += Self.count(isLiteral)
    }
    text = String(decoding: bytes, as: UTF8.self)
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

  // The number of bytes that a byte of a key takes in the path.
  private static func count(_ isLiteral: Bool) -> Int { isLiteral ? 1 : 3 }

  private static func escape(_ byte: UInt8, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "%"))
    for digit in [byte >> 4, byte & 15] {
      bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }

  private static func key(of text: String) -> String? {
    let path = Array(text.utf8)
    var (bytes, index): ([UInt8], Int) = ([], 0)
    bytes.reserveCapacity(path.count)
    while index < path.count {
      let byte = path[index]
      index += 1
      switch byte {
      case UInt8(ascii: "+"):
        guard index < path.count, path[index] == UInt8(ascii: "/") else { return nil }
        index += 1
      case UInt8(ascii: "%"):
        guard index + 1 < path.count, let high = digit(path[index]), let low = digit(path[index + 1])
        else { return nil }
        bytes.append(high << 4 | low)
        index += 2
      default:
        bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
