import ActorBindingsSharing
import FileStoreWriter
import Foundation
import Testing

/// Tests with other processes. `ACTORBINDINGS_STRESS=20` makes them kill twenty times as many, and
/// `ACTORBINDINGS_STRESS=0.1` a tenth.
@Suite(.serialized, .timeLimit(.minutes(20))) struct FileStoreProcessTests {
  static let stress = ProcessInfo.processInfo.environment["ACTORBINDINGS_STRESS"].flatMap(Double.init) ?? 1
  static let kills = max(1, Int(25 * stress))

  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test(arguments: ["quick", "synchronized"])
  func `after kill -9 at any instant each key has its old or its new bytes`(_ durability: String) async throws
  {
    var random = SeededGenerator(seed: UInt64(Self.kills))
    let store = try FileStore(patient: folder.path, durability: .processExit)
    let changes = try await store.changes(in: .prefix("d/"), after: store.load(.prefix("d/")).revision)
    var number = 0
    for _ in 0..<Self.kills {
      let child = try ChildProcess("FileStoreWriter", "write", folder.path, "\(number)", durability)
      var steps = await child.reported(Int.random(in: 1...40, using: &random))
      child.send(SIGKILL)
      steps += await child.ended().steps
      number += steps
      // The write that was under way has happened or not, as a whole.
      let found = try await entries(of: store)
      let (old, new) = (WriteScript.entries(before: number), WriteScript.entries(before: number + 1))
      try #require(found == old || found == new, "after \(number) writes")
      if found == new { number += 1 }
    }
    // The next writer leaves nothing of the killed ones.
    try await store.put("d/last", [1])
    let other = folder.files.filter { !$0.hasPrefix("entries/") }
    #expect(other == ["lock", "journal/current"])
    // A reader that followed all the time ends on what the store has.
    var held: [String: StoreRevision] = [:]
    for change in try await changes.collect(until: { $0.last?.key == "d/last" }) {
      if case .written(let entry) = change {
        held[entry.key] = entry.revision
      } else {
        held[change.key] = nil
      }
    }
    let stored = try await store.load(.prefix("d/")).entries.map { ($0.key, $0.revision) }
    #expect(held == Dictionary(uniqueKeysWithValues: stored))
  }

  private func entries(of store: FileStore) async throws -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    for key in WriteScript.keys { found[key] = try await store.load(.key(key)).entries.first?.bytes }
    return found
  }

  @Test func `compare-and-set by several processes makes the exact sum`() async throws {
    try await increment(processes: 8, times: 50)
  }

  @Test func `a hundred processes use one folder at once`() async throws {
    try await increment(processes: 100, times: 5)
  }

  private func increment(processes: Int, times: Int) async throws {
    let store = try FileStore(patient: folder.path)
    let changes = try await store.changes(in: .key("sum"), after: store.load(.key("sum")).revision)
    let children = try (0..<processes).map { _ in
      try ChildProcess("FileStoreWriter", "increment", folder.path, "\(times)")
    }
    for child in children { #expect(await child.ended() == (times, .exit(0))) }
    let sum = try await store.load(.key("sum")).entries.map { String(decoding: $0.bytes, as: UTF8.self) }
    #expect(sum == ["\(processes * times)"])
    let final = try await store.load(.key("sum")).entries.first?.revision
    let last = try await changes.collect { $0.last?.revision == final }
    #expect(zip(last, last.dropFirst()).allSatisfy { $0.revision < $1.revision })
  }

  @Test func `the entry of a killed process goes long before its ttl, and nothing of its lease is left`()
    async throws
  {
    let store = try FileStore(patient: folder.path)
    let changes = try await store.changes(in: .prefix("here/"), after: store.load(.prefix("here/")).revision)
    let child = try ChildProcess("FileStoreWriter", "hold", folder.path, "600000")
    await child.reported(1)
    var iterator = changes.makeAsyncIterator()
    #expect(try await iterator.next()?.map(\.key) == ["here/me"])
    #expect(try await store.load(.prefix("here/")).entries.map(\.bytes) == [[1]])
    child.send(SIGKILL)
    guard case .removed("here/me", _)? = try await iterator.next()?.first else {
      Issue.record("the entry was not removed")
      return
    }
    #expect(try await store.load(.prefix("here/")).entries.isEmpty)
    _ = await child.ended()
    await eventually { folder.files == ["lock", "journal/current"] }
  }

  @Test func `a load, and a write that expects no entry, do not see the entry of a killed process`()
    async throws
  {
    let store = try FileStore(patient: folder.path)
    for round in 0..<2 {
      let child = try ChildProcess("FileStoreWriter", "hold", folder.path, "600000")
      await child.reported(1)
      child.send(SIGKILL)
      _ = await child.ended()
      if round == 0 {
        #expect(try await store.load(.prefix("here/")).entries.isEmpty)
      } else {
        try await store.put("here/me", [2], if: .absent)
      }
    }
  }

  @Test func `the entry of a stopped process goes when its ttl has passed`() async throws {
    let store = try FileStore(patient: folder.path)
    let changes = try await store.changes(in: .prefix("here/"), after: store.load(.prefix("here/")).revision)
    let child = try ChildProcess("FileStoreWriter", "hold", folder.path, "1000")
    await child.reported(1)
    child.send(SIGSTOP)
    let found = try await changes.collect { $0.last?.isRemoval == true }
    #expect(found.last?.key == "here/me")
    child.send(SIGKILL)
    _ = await child.ended()
  }

  @Test func `the leases of a store object end when the object is released`() async throws {
    let store = try FileStore(patient: folder.path)
    let changes = try await store.changes(in: .prefix("here/"), after: store.load(.prefix("here/")).revision)
    do {
      let owner = try FileStore(patient: folder.path)
      let lease = try await owner.grantLease(ttl: .seconds(600))
      try await owner.put("here/me", [1], lease: lease)
    }
    _ = try await changes.collect { $0.last?.isRemoval == true }
    #expect(try await store.load(.prefix("here/")).entries.isEmpty)
  }
}

extension StoreChange {
  fileprivate var isRemoval: Bool {
    if case .removed = self { true } else { false }
  }
}
