/// The file of a lease: the instant at which the lease ends, then a line for each entry that was written with it.
package struct LeaseFile: Hashable, Sendable {
  /// The instant, in nanoseconds of the machine's clock that runs while the machine sleeps.
  package let deadline: UInt64
  /// The entries that were written with the lease. Some of them may have been written again without it.
  package let paths: [EntryPath]

  /// Reads a file; nil if it is damaged. A line without an end is the rest of a write that was cut off.
  package init?(_ contents: [UInt8]) {
    let lines = contents.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let words = String(decoding: lines[0], as: UTF8.self).split(separator: " ")
    guard lines.count > 1, words.count == 4, words[0] == "ActorBindings", words[1] == "lease",
      words[2] == "1",
      let deadline = UInt64(words[3])
    else { return nil }
    self.deadline = deadline
    paths = lines[1..<(lines.count - 1)].compactMap { EntryPath(text: String(decoding: $0, as: UTF8.self)) }
  }

  /// The first line, with its end. All first lines have one length, so that a renewal replaces the line in place.
  package static func line(deadline: UInt64) -> [UInt8] {
    let digits = String(deadline)
    let padded = String(repeating: "0", count: 20 - digits.count) + digits
    return Array("ActorBindings lease 1 \(padded)\n".utf8)
  }
}

/// The name of a lease: the name of the store object that granted it, a dot, and a number.
package struct LeaseName: Hashable, Sendable {
  package let text: String

  package init(owner: String, number: Int) {
    text = "\(owner).\(number)"
  }

  /// Reads the name from a `StoreLease`, an entry or a folder; nil if it is none. A name never leaves the folder.
  package init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 2,
      parts.allSatisfy({ !$0.isEmpty && $0.count <= 40 && $0.allSatisfy(Self.isAllowed) })
    else { return nil }
    self.text = text
  }

  /// The store object that granted the lease. While it lives, its process holds the lock of the file of this name.
  package var owner: String { String(text.prefix { $0 != "." }) }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
