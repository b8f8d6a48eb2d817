import ActorBindings
import ActorBindingsSharing
import ActorBindingsTesting
import Dispatch
import Foundation
import Testing

/// A store that is empty at first, yields what a test tells it to yield, and applies each write at the revision 10.
private final class BatchStore: SharedStore {
  let name = "a store of batches"
  let limits = StoreLimits()
  let followers = StoreFollowers()
  private let changes: AsyncThrowingStream<[StoreChange], any Error>
  private let batches: AsyncThrowingStream<[StoreChange], any Error>.Continuation

  init() {
    (changes, batches) = AsyncThrowingStream.makeStream()
  }

  func yield(_ changes: StoreChange...) {
    batches.yield(changes)
  }

  func load(_ scope: StoreScope) async throws -> StoreSnapshot {
    StoreSnapshot(entries: [], revision: StoreRevision(1))
  }

  func changes(
    in scope: StoreScope,
    after revision: StoreRevision
  ) async throws -> any AsyncSequence<[StoreChange], any Error> & Sendable { changes }

  func write(_ write: StoreWrite) async throws -> StoreWriteResult { .applied(StoreRevision(10)) }

  func grantLease(ttl: Duration) async throws -> StoreLease { throw StoreError.refused("no leases") }
  func renew(_ lease: StoreLease) async throws { throw StoreError.leaseEnded }
  func revoke(_ lease: StoreLease) async throws {}
}

/// News of one entry that come from several sources at once.
@Suite(.timeLimit(.minutes(9))) struct RacingNewsTests {
  private func written(_ key: String, _ value: Int, at revision: UInt64) -> StoreChange {
    .written(StoreEntry(key: key, bytes: Array("\(value)".utf8), revision: StoreRevision(revision)))
  }

  private func removed(_ key: String, at revision: UInt64) -> StoreChange {
    .removed(key: key, revision: StoreRevision(revision))
  }

  @Test func `a cell that joins after an older duplicate does not see it`() async throws {
    let store = BatchStore()
    let first = SharedCell("c/a", in: store, initially: 0)
    let marker = SharedCell("c/b", in: store, initially: 0)
    first.start()
    marker.start()
    _ = await first.link.first { $0 == .live }
    _ = await marker.link.first { $0 == .live }
    for (number, change) in [written("c/a", 5, at: 5), removed("c/a", at: 7), written("c/a", 5, at: 5)]
      .enumerated()
    {
      store.yield(change)
      // The next batch is not merged with this one.
      store.yield(written("c/b", number + 1, at: UInt64(6 + 2 * number)))
      _ = await marker.first { $0 == number + 1 }
    }
    let late = SharedCell("c/a", in: store, initially: 0)
    late.start()
    try await late.ready()
    #expect(late.value == 0)
    #expect(first.value == 0)
  }

  @Test func `a removal by this process is not undone by an older change that comes later`() async throws {
    let store = BatchStore()
    let names = SharedDictionary<String, Int>("c/", in: store)
    names.start()
    _ = await names.link.first { $0 == .live }
    store.yield(written("c/a", 1, at: 5))
    _ = await names.source(forKey: "a").first { $0 == 1 }
    try await names.modify(forKey: "a") { $0 = nil }
    #expect(names["a"] == nil)
    store.yield(written("c/a", 2, at: 9), written("c/b", 1, at: 9))
    _ = await names.source(forKey: "b").first { $0 == 1 }
    #expect(names["a"] == nil)
    store.yield(removed("c/a", at: 10), written("c/b", 2, at: 11))
    _ = await names.source(forKey: "b").first { $0 == 2 }
    while names.knownKeyCount > 1 { await Task.yield() }
  }

  @Test(
    .enabled(
      if: ProcessInfo.processInfo.environment["ACTORBINDINGS_POOL"] != "1",
      "the codec blocks a thread of the pool"
    )
  )
  func `a change whose decoding takes long does not replace newer news`() async throws {
    let store = InMemoryStore()
    let (entered, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let blocks = BindableActor(true)
    let codec = StoreCodec<Int> {
      Array("\($0)".utf8)
    } decode: { bytes in
      let value = Int(String(decoding: bytes, as: UTF8.self)) ?? 0
      if value == 5,
        blocks.modify({ blocks in
          defer { blocks = false }; return blocks
        })
      {
        entered.signal()
        release.wait()
      }
      return value
    }
    let cell = SharedCell("c/a", in: store, initially: 0, codec: codec)
    cell.start()
    _ = await cell.link.first { $0 == .live }
    var values = cell.values(backlog: .unbounded).makeAsyncIterator()
    #expect(await values.next() == 0)
    try await store.put(5, "c/a")
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        entered.wait()
        continuation.resume()
      }
    }
    // The loop decodes the change of the value 5; meanwhile this process writes 6.
    try await cell.modify { $0 += 1 }
    #expect(cell.value == 6)
    release.signal()
    try await store.put(7, "c/a")
    #expect(await values.next() == 6)
    #expect(await values.next() == 7, "the value 5 does not come back")
  }
}
