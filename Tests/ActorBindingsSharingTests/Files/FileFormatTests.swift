import ActorBindingsSharing
import Testing

@Suite struct FileFormatTests {
  @Test(arguments: [nil, "owner.1"])
  func `an entry is read as it was written`(_ lease: String?) throws {
    let bytes: [UInt8] = Array("one\ntwo\n".utf8) + [0, 255]
    let header = EntryHeader(revision: .max, lease: lease, count: bytes.count)
    let file = try #require(EntryFile(header.line + bytes))
    #expect(file.header == header)
    #expect(file.bytes == bytes)
  }

  @Test func `an entry that was cut off anywhere is damaged`() {
    let contents = EntryHeader(revision: 12, lease: "a.1", count: 5).line + [1, 2, 3, 4, 5]
    for count in 0..<contents.count { #expect(EntryFile(Array(contents.prefix(count))) == nil) }
    #expect(EntryFile(contents + [6]) == nil)
    #expect(EntryFile(contents) != nil)
  }

  @Test(arguments: [
    "Some other file\n", "ActorBindings entry 2 1 - 0\n", "ActorBindings entry 1 x - 0\n",
    "ActorBindings entry 1 1 - -1\n",
    "ActorBindings entry 1 1  0\n", "\n", "",
  ])
  func `a file of another kind is no entry`(_ contents: String) {
    #expect(EntryFile(Array(contents.utf8)) == nil)
  }

  @Test func `a lease is read as it was written, without a line that was cut off`() throws {
    let paths = ["a", "B/c"].map { EntryPath(key: $0) }
    let contents =
      LeaseFile.line(deadline: 77) + paths.flatMap { Array("\n\($0.text)\n".utf8) } + Array("\ncut".utf8)
    let lease = try #require(LeaseFile(contents))
    #expect(lease.deadline == 77)
    #expect(lease.paths == paths)
    #expect(LeaseFile([]) == nil)
    #expect(LeaseFile(Array("ActorBindings lease 1 5".utf8)) == nil)
  }

  @Test func `all first lines of leases have one length`() {
    #expect(LeaseFile.line(deadline: 0).count == LeaseFile.line(deadline: .max).count)
  }

  @Test(arguments: ["", "a", "a.", ".1", "a.1.2", "../1", "a.b/c", "A.1", "a.é"])
  func `a text that would leave the folder names no lease`(_ text: String) {
    #expect(LeaseName(text) == nil)
  }

  @Test func `the name of a lease has its owner`() {
    #expect(LeaseName("abc.12") == LeaseName(owner: "abc", number: 12))
    #expect(LeaseName("abc.12")?.owner == "abc")
  }
}

@Suite struct JournalTests {
  let header = JournalHeader(history: "h1", boot: "b-2", floor: 4)

  func record(_ revision: UInt64, _ key: String = "a", removed: Bool = false) -> JournalRecord {
    JournalRecord(revision: revision, path: EntryPath(key: key), isRemoval: removed)
  }

  @Test func `a header is read as it was written`() {
    #expect(JournalHeader(line: header.line + [0, 0, 0]) == header)
    #expect(JournalHeader(line: header.line.dropLast()) == nil)
    #expect(JournalHeader(line: Array("ActorBindings journal 2 h b 0\n".utf8)) == nil)
  }

  @Test func `a position moves over complete records only, wherever the journal was cut off`() {
    let records = [
      record(5), record(6, "B/c", removed: true), record(7, "long" + String(repeating: "X", count: 300)),
    ]
    let bytes = records.flatMap(\.line)
    for count in 0...bytes.count {
      var position = JournalPosition(header)
      let first = position.appended(Array(bytes.prefix(count)) + [0, 0, 0])
      let consumed = position.offset - header.line.count
      #expect(consumed <= count)
      #expect(position.revision == first.last?.revision ?? 4)
      // The rest is read from the position on.
      let second = position.appended(Array(bytes[consumed...]))
      #expect(first + second == records)
      #expect(position.revision == 7)
      #expect(position.offset == header.line.count + bytes.count)
    }
  }

  @Test func `a line that is no record is skipped`() {
    var position = JournalPosition(header)
    #expect(position.appended(Array("junk\n".utf8) + record(5).line) == [record(5)])
    #expect(JournalRecord(line: Array("5 written ../x".utf8)) == nil)
    #expect(JournalRecord(line: Array("5 moved a".utf8)) == nil)
  }
}

@Suite struct PendingChangesTests {
  func record(_ revision: UInt64, _ key: String) -> JournalRecord {
    JournalRecord(revision: revision, path: EntryPath(key: key), isRemoval: false)
  }

  @Test func `changes come out in order, each key once, with its newest revision`() {
    var pending = PendingChanges(after: 0)
    for (index, key) in ["a", "b", "a", "c", "b"].enumerated() {
      pending.recorded(record(UInt64(index) + 1, key))
    }
    #expect(pending.batchBegan(limit: 2) == [record(3, "a"), record(4, "c")])
    pending.recorded(record(6, "a"))
    #expect(pending.batchBegan(limit: 9) == [record(5, "b"), record(6, "a")])
    #expect(pending.isEmpty)
  }

  @Test func `a record that the subscription began after, or has had, is ignored`() {
    var pending = PendingChanges(after: 3)
    pending.recorded(record(3, "a"))
    #expect(pending.isEmpty)
    pending.recorded(record(4, "a"))
    pending.caughtUp(to: 9)
    pending.recorded(record(4, "a"))
    pending.recorded(record(9, "b"))
    #expect(pending.batchBegan(limit: 9) == [record(4, "a")])
  }

  @Test func `the space is that of the keys, not of the writes`() {
    var pending = PendingChanges(after: 0)
    for revision in 1...100_000 as ClosedRange<UInt64> {
      pending.recorded(record(revision, "\(revision % 10)"))
    }
    #expect(pending.recordCount <= 60)
    #expect(pending.batchBegan(limit: 100).map(\.revision) == Array(99_991...100_000))
  }

  @Test func `random records come out as a model says`() {
    for seed in 0..<200 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var pending = PendingChanges(after: 0)
      var model: [String: UInt64] = [:]
      for revision in 1...200 as ClosedRange<UInt64> {
        let key = "\(Int.random(in: 0..<12, using: &random))"
        pending.recorded(record(revision, key))
        model[key] = revision
        if Int.random(in: 0..<5, using: &random) == 0 {
          let limit = Int.random(in: 1...6, using: &random)
          let expected = model.sorted { $0.value < $1.value }.prefix(limit)
          #expect(pending.batchBegan(limit: limit) == expected.map { record($0.value, $0.key) })
          for (key, _) in expected { model[key] = nil }
        }
      }
    }
  }
}

@Suite struct ScopeIndexTests {
  @Test func `finds the subscriptions of a key and of its prefixes`() {
    var index = ScopeIndex()
    index.joined(1, .key("a/b"))
    index.joined(2, .prefix("a/"))
    index.joined(3, .prefix("a/b/"))
    index.joined(4, .prefix("a/"))
    #expect(index.ids(for: EntryPath(key: "a/b")) == [1, 2, 4])
    #expect(index.ids(for: EntryPath(key: "a/b/c")) == [2, 3, 4])
    #expect(index.ids(for: EntryPath(key: "ab")) == [])
    index.left(2, .prefix("a/"))
    index.left(1, .key("a/b"))
    #expect(index.ids(for: EntryPath(key: "a/b")) == [4])
  }

  @Test func `tells keys apart that Unicode normalization makes equal`() {
    var index = ScopeIndex()
    index.joined(1, .key("\u{E9}"))
    #expect(index.ids(for: EntryPath(key: "e\u{301}")) == [])
    #expect(index.ids(for: EntryPath(key: "\u{E9}")) == [1])
  }
}
