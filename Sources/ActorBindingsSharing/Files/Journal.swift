/// The first line of the journal.
///
/// The journal lists the latest writes of the store, the oldest first, each in one line. It says which entries have
/// changed after a revision, also those that were removed. Zeros follow the last line, up to the size of the file: the
/// disk has given the journal its space, so that appending to it does not fail on a full disk.
package struct JournalHeader: Hashable, Sendable {
  /// More bytes than any header has.
  static let byteLimit = 256

  /// A random name of the history: another history began when the folder was emptied or the machine was started.
  package let history: String
  /// The machine's start in which the journal was made. A journal of an earlier start may have lost its end.
  package let boot: String
  /// The journal has the writes after this revision.
  package let floor: UInt64

  package init(history: String, boot: String, floor: UInt64) {
    self.history = history
    self.boot = boot
    self.floor = floor
  }

  package var line: [UInt8] {
    Array("ActorBindings journal 1 \(history) \(boot) \(floor)\n".utf8)
  }

  /// Reads the line at the beginning of a file; nil if there is none.
  package init?(line bytes: some Collection<UInt8>) {
    guard let end = bytes.prefix(Self.byteLimit).firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    let words = String(decoding: bytes[..<end], as: UTF8.self).split(separator: " ")
    guard words.count == 6, words[0] == "ActorBindings", words[1] == "journal", words[2] == "1",
      let floor = UInt64(words[5])
    else { return nil }
    self.init(history: String(words[3]), boot: String(words[4]), floor: floor)
  }
}

/// A line of the journal: one write. The lock file has such a line too: the write that its holder is about to make.
package struct JournalRecord: Hashable, Sendable {
  package let revision: UInt64
  package let path: EntryPath
  package let isRemoval: Bool

  package init(revision: UInt64, path: EntryPath, isRemoval: Bool) {
    self.revision = revision
    self.path = path
    self.isRemoval = isRemoval
  }

  package var line: [UInt8] {
    Array("\(revision) \(isRemoval ? "removed" : "written") \(path.text)\n".utf8)
  }

  /// Reads a line without its end; nil if it is none.
  package init?(line bytes: some Collection<UInt8>) {
    let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
    guard words.count == 3, let revision = UInt64(words[0]), words[1] == "removed" || words[1] == "written",
      let path = EntryPath(text: String(words[2]))
    else { return nil }
    self.init(revision: revision, path: path, isRemoval: words[1] == "removed")
  }
}

/// A position in the journal: how far a reader has read it.
///
/// Events: `appended(_:)`: bytes were found at the position, or were written there.
/// Behavior: The position moves over complete lines only. A writer that is killed while it appends leaves the beginning
/// of a line, which the position stays before.
package struct JournalPosition: Hashable, Sendable {
  package let header: JournalHeader
  /// The offset of the next line in the file.
  package private(set) var offset: Int
  /// The revision of the last line before the position.
  package private(set) var revision: UInt64

  /// The position before the first record.
  package init(_ header: JournalHeader) {
    self.header = header
    offset = header.line.count
    revision = header.floor
  }

  /// The bytes at the position are as given. Moves over the complete lines, and returns their records.
  package mutating func appended(_ bytes: [UInt8]) -> [JournalRecord] {
    var records: [JournalRecord] = []
    var start = bytes.startIndex
    while start < bytes.endIndex, bytes[start] != 0,
      let end = bytes[start...].firstIndex(where: { $0 == UInt8(ascii: "\n") || $0 == 0 }), bytes[end] != 0
    {
      let line = bytes[start..<end]
      start = end + 1
      guard let record = JournalRecord(line: line) else { continue }
      records.append(record)
      revision = max(revision, record.revision)
    }
    offset += start
    return records
  }
}
