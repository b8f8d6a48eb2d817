/// The first line of the file of an entry. The bytes of the entry follow it.
///
/// A file is complete when it gets its name, and never changes after that.
package struct EntryHeader: Hashable, Sendable {
  /// More bytes than any header has.
  static let byteLimit = 160

  /// The revision of the write that made the file.
  package let revision: UInt64
  /// The lease that the entry ends with.
  package let lease: String?
  /// The number of bytes of the entry.
  package let count: Int

  package init(revision: UInt64, lease: String?, count: Int) {
    self.revision = revision
    self.lease = lease
    self.count = count
  }

  /// The line, with its end.
  package var line: [UInt8] {
    Array("ActorBindings entry 1 \(revision) \(lease ?? "-") \(count)\n".utf8)
  }

  /// Reads the line at the beginning of a file; nil if there is none.
  package init?(line bytes: some Collection<UInt8>) {
    guard let end = bytes.prefix(Self.byteLimit).firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    let words = String(decoding: bytes[..<end], as: UTF8.self).split(
      separator: " ",
      omittingEmptySubsequences: false
    )
    guard words.count == 6, words[0] == "ActorBindings", words[1] == "entry", words[2] == "1",
      let revision = UInt64(words[3]), !words[4].isEmpty, let count = Int(words[5]), count >= 0
    else { return nil }
    self.init(revision: revision, lease: words[4] == "-" ? nil : String(words[4]), count: count)
  }
}

/// The file of an entry.
package struct EntryFile: Hashable, Sendable {
  package let header: EntryHeader
  package let bytes: [UInt8]

  /// Reads a file; nil if it is damaged.
  package init?(_ contents: [UInt8]) {
    guard let header = EntryHeader(line: contents), contents.count - header.line.count == header.count
    else { return nil }
    self.header = header
    bytes = Array(contents[header.line.count...])
  }
}
