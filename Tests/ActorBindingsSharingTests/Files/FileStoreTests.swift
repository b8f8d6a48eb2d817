import ActorBindingsSharing
import ActorBindingsTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(9))) struct FileStoreTests {
  let folder: TemporaryFolder
  let store: FileStore

  init() throws {
    folder = try TemporaryFolder()
    store = try FileStore(patient: folder.path, durability: .processExit)
  }

  @Test(arguments: StoreContract.checks)
  func `keeps the contract`(_ check: StoreContract.Check) async throws {
    // A ttl that the pauses of a busy disk do not reach.
    let store = try FileStore(folder.path, scanInterval: .seconds(1), shortestTTL: .seconds(2))
    try await check.run(on: store, patience: .seconds(240)) { [path = folder.path] in
      // Then the next writer or reader begins another history.
      try FileManager.default.removeItem(atPath: "\(path)/journal/current")
    }
  }

  @Test(arguments: StoreContract.checks)
  func `keeps the contract beside another store object of the folder`(_ check: StoreContract.Check)
    async throws
  {
    let other = try FileStore(patient: folder.path, durability: .processExit)
    async let first: Void = check.run(on: store, patience: .seconds(240))
    async let second: Void = check.run(on: other, patience: .seconds(240))
    _ = try await (first, second)
  }

  @Test func `two store objects of one folder see and exclude each other's writes`() async throws {
    let other = try FileStore(patient: folder.path)
    let start = try await other.load(.prefix("a/")).revision
    let changes = try await other.changes(in: .prefix("a/"), after: start)
    let first = try await store.put("a/b", [1])
    #expect(try await changes.first() == [.written(StoreEntry(key: "a/b", bytes: [1], revision: first))])
    let late = StoreWrite(key: "a/b", bytes: [2], expected: .absent)
    let entry = StoreEntry(key: "a/b", bytes: [1], revision: first)
    #expect(try await other.write(late) == .conflict(entry))
    let second = try await other.put("a/b", [3], if: .revision(first))
    #expect(second > first)
    #expect(try await store.load(.key("a/b")).entries.map(\.bytes) == [[3]])
  }

  @Test func `entries and revisions survive the store object`() async throws {
    let first = try await store.put("a", [1])
    let again = try FileStore(patient: folder.path)
    #expect(try await again.load(.key("a")).entries == [StoreEntry(key: "a", bytes: [1], revision: first)])
    #expect(try await again.put("a", [2], if: .revision(first)) > first)
  }

  @Test func `large and empty entries, and keys of the largest size`() async throws {
    let large = [UInt8](repeating: 7, count: store.limits.bytesPerEntry)
    let key = String(repeating: "Ä", count: store.limits.bytesPerKey / 2)
    let start = try await store.load(.key(key)).revision
    let changes = try await store.changes(in: .key(key), after: start)
    let revision = try await store.put(key, large)
    #expect(try await changes.first() == [.written(StoreEntry(key: key, bytes: large, revision: revision))])
    try await store.put(key, [])
    #expect(try await store.load(.key(key)).entries.map(\.bytes) == [[]])
    try await store.put(key, nil)
    #expect(try await store.load(.key(key)).entries.isEmpty)
  }

  @Test func `the thread ends with the last subscription, and another one begins with the next`() async throws
  {
    let start = try await store.load(.prefix("a/")).revision
    for _ in 0..<3 {
      #expect(!store.watcher.isWatching)
      do {
        let first = try await store.changes(in: .prefix("a/"), after: start)
        let second = try await store.changes(in: .key("b"), after: start)
        #expect(store.watcher.isWatching)
        #expect(store.watcher.subscriptionCount == 2)
        withExtendedLifetime((first, second)) {}
      }
      await eventually { !store.watcher.isWatching }
    }
  }

  @Test func `a slow reader gets the newest bytes of each key`() async throws {
    let start = try await store.load(.prefix("a/")).revision
    let changes = try await store.changes(in: .prefix("a/"), after: start)
    for number in 0..<400 { try await store.put("a/\(number % 5)", [UInt8(number % 256)]) }
    var found: [StoreChange] = []
    for try await batch in changes {
      found += batch
      if found.last?.key == "a/4" { break }
    }
    #expect(found.map(\.key) == (0..<5).map { "a/\($0)" })
    #expect(zip(found, found.dropFirst()).allSatisfy { $0.revision < $1.revision })
  }

  @Test func `a cancelled iteration throws, and the subscription ends`() async throws {
    let start = try await store.load(.prefix("a/")).revision
    let task = Task { [store] in
      let changes = try await store.changes(in: .prefix("a/"), after: start)
      return try await changes.first()
    }
    await eventually { store.watcher.subscriptionCount == 1 }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await eventually { !store.watcher.isWatching }
  }
}

// MARK: - The journal

@Suite(.timeLimit(.minutes(9))) struct FileStoreJournalTests {
  let folder: TemporaryFolder
  let store: FileStore

  init() throws {
    folder = try TemporaryFolder()
    store = try FileStore(patient: folder.path, durability: .processExit)
  }

  // The path of such a key has three bytes for each byte of the key.
  private func longKey(_ number: Int) -> String {
    "l/" + String(repeating: "LONG", count: 200) + "\(number)"
  }

  @Test func `a reader that keeps up misses nothing when the journal drops its older half`() async throws {
    let start = try await store.load(.prefix("l/")).revision
    let changes = try await store.changes(in: .prefix("l/"), after: start)
    async let seen = changes.collect { $0.last?.key == longKey(249) }
    for number in 0..<250 { try await store.put(longKey(number), [1]) }
    let keys = try await seen.map(\.key)
    #expect(keys == (0..<250).map(longKey))
    #expect(try folder.bytes(of: "journal/current").count < 300_000)
  }

  @Test func `a subscription after a revision that the journal has dropped has lost its history`()
    async throws
  {
    let start = try await store.put("a", [1])
    for number in 0..<300 { try await store.put(longKey(number % 3), [1]) }
    await #expect(throws: StoreError.historyLost) { try await store.changes(in: .key("a"), after: start) }
    let now = try await store.load(.key("a")).revision
    let changes = try await store.changes(in: .key("a"), after: now)
    try await store.put("a", [2])
    #expect(try await changes.first()?.map(\.key) == ["a"])
  }

  @Test func `a subscription after a revision of the future has lost its history`() async throws {
    try await store.put("a", [1])
    await #expect(throws: StoreError.historyLost) {
      try await store.changes(in: .key("a"), after: StoreRevision(.max))
    }
  }

  @Test func `entries survive a restart of the machine, and the history begins again`() async throws {
    let old = try FileStore(folder.path, scanInterval: .seconds(1), boot: "first")
    let lease = try await old.grantLease(ttl: .seconds(600))
    try await old.put("a", [1])
    let last = try await old.put("b", [2], lease: lease)
    let new = try FileStore(folder.path, scanInterval: .seconds(1), boot: "second")
    await #expect(throws: StoreError.historyLost) {
      try await new.changes(in: .key("a"), after: StoreRevision(last.number - 1))
    }
    #expect(try await new.load(.key("a")).entries.map(\.bytes) == [[1]])
    #expect(try await new.put("a", [3]) > last)
  }

  @Test func `a journal that was lost with the power does not repeat revisions`() async throws {
    try await store.put("a", [1])
    let last = try await store.put("b", [2])
    try folder.replace("journal/current", with: [0, 0, 0])
    let again = try FileStore(patient: folder.path)
    #expect(try await again.put("a", [3]) > last)
    #expect(try await again.load(.key("b")).entries.map(\.revision) == [last])
  }

  // MARK: Writers that died between two steps

  @Test func `a write that has its name, but is not in the journal, has happened`() async throws {
    let first = try await store.put("a", [1])
    let second = first.next
    let changes = try await store.changes(in: .key("a"), after: first)
    try cutOff(second, "written", entry: [9])
    // The scan finds it.
    #expect(try await changes.first() == [.written(StoreEntry(key: "a", bytes: [9], revision: second))])
    #expect(try await store.load(.key("a")).revision == second)
    #expect(try await store.put("a", [3], if: .revision(second)) == second.next)
  }

  @Test func `a load finds a write that is not in the journal`() async throws {
    let first = try await store.put("a", [1])
    try cutOff(first.next, "written", entry: [9])
    let snapshot = try await store.load(.key("a"))
    #expect(snapshot.revision == first.next)
    #expect(snapshot.entries.map(\.bytes) == [[9]])
  }

  @Test func `a write that has no name yet has not happened, and leaves nothing`() async throws {
    let first = try await store.put("a", [1])
    try cutOff(first.next, "written", entry: nil)
    try folder.replace("next", with: [1, 2])
    #expect(try await store.load(.key("a")).entries.map(\.bytes) == [[1]])
    #expect(!folder.files.contains("next"))
    #expect(try await store.put("b", [2]) == first.next)
  }

  @Test func `a removal that is not in the journal has happened`() async throws {
    let first = try await store.put("a", [1])
    try folder.remove("entries/a")
    try cutOff(first.next, "removed", entry: nil)
    #expect(try await store.load(.key("a")) == StoreSnapshot(entries: [], revision: first.next))
    let changes = try await store.changes(in: .key("a"), after: first)
    #expect(try await changes.first() == [.removed(key: "a", revision: first.next)])
  }

  @Test func `a record that was cut off is replaced`() async throws {
    let first = try await store.put("a", [1])
    var journal = try folder.bytes(of: "journal/current")
    let end = try #require(journal.lastIndex(of: UInt8(ascii: "\n"))) + 1
    journal.replaceSubrange(end..<(end + 60), with: Array(repeating: UInt8(ascii: "7"), count: 60))
    try folder.replace("journal/current", with: journal)
    try await store.put("b", [2])
    let third = try await store.put("c", [3])
    let changes = try await FileStore(patient: folder.path).changes(in: .key("c"), after: first)
    #expect(try await changes.first()?.map(\.revision) == [third])
  }

  private func cutOff(_ revision: StoreRevision, _ kind: String, entry bytes: [UInt8]?) throws {
    if let bytes {
      let header = EntryHeader(revision: revision.number, lease: nil, count: bytes.count)
      try folder.replace("entries/a", with: header.line + bytes)
    }
    try folder.replace("lock", with: Array("\(revision.number) \(kind) a\n".utf8))
  }
}

// MARK: - Short forms

extension FileStore {
  /// Writes, and returns the revision.
  @discardableResult
  func put(
    _ key: String,
    _ bytes: [UInt8]?,
    if expected: StoreWrite.Expectation = .anything,
    lease: StoreLease? = nil
  ) async throws -> StoreRevision {
    let result = try await write(StoreWrite(key: key, bytes: bytes, expected: expected, lease: lease))
    guard case .applied(let revision) = result else { throw NotApplied(result: result) }
    return revision
  }
}

struct NotApplied: Error {
  let result: StoreWriteResult
}

extension AsyncSequence where Element == [StoreChange] {
  /// The first changes.
  func first() async throws -> [StoreChange]? {
    try await first { !$0.isEmpty }
  }

  /// The changes until `isEnough` is true of all changes so far.
  func collect(until isEnough: ([StoreChange]) -> Bool) async throws -> [StoreChange] {
    var found: [StoreChange] = []
    for try await batch in self {
      found += batch
      if isEnough(found) { break }
    }
    return found
  }
}

extension StoreRevision {
  /// The revision of the write that comes next.
  var next: StoreRevision { StoreRevision(number + 1) }
}
