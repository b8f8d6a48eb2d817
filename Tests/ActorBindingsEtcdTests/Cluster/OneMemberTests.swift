import ActorBindings
import ActorBindingsEtcd
import ActorBindingsSharing
import Foundation
import Testing

/// What a member of etcd does when it crashes, forgets, or refuses.
@Suite(.enabled(if: EtcdMember.isWanted, EtcdMember.condition))
struct OneMemberTests {
  /// Writes, and returns the revision.
  @discardableResult
  private func put(_ key: String, _ bytes: [UInt8]?, in store: EtcdStore) async throws -> StoreRevision {
    let result = try await store.write(StoreWrite(key: key, bytes: bytes, expected: .anything))
    guard case .applied(let revision) = result else { throw StoreError.uncertain("\(result)") }
    return revision
  }

  @Test func `a store works again after its member has crashed and started again`() async throws {
    try await withEtcd { members in
      let store = try EtcdStore(members[0].url)
      let revision = try await put("a/1", [1], in: store)
      var batches = Batches(try await store.changes(in: .prefix("a/"), after: revision))
      try await members[0].crash()
      #expect(await storeError { try await batches.next() }?.isUnavailable == true)
      #expect(await storeError { try await put("a/2", [2], in: store) }?.isUnavailable == true)
      try await members[0].start()
      let snapshot = try await store.load(.prefix("a/"))
      #expect(snapshot.entries.map(\.bytes) == [[1]])
      batches = Batches(try await store.changes(in: .prefix("a/"), after: snapshot.revision))
      try await put("a/2", [2], in: store)
      #expect(try await batches.next()?.first?.key == "a/2")
    }
  }

  @Test func `changes that were compacted are a lost history`() async throws {
    try await withEtcd { members in
      let store = try EtcdStore(members[0].url)
      let revision = try await put("a/1", [1], in: store)
      for number in 2...9 as ClosedRange<UInt8> { try await put("a/1", [number], in: store) }
      try await members[0].compact(before: revision.number + 8)
      #expect(
        await storeError {
          var batches = Batches(try await store.changes(in: .prefix("a/"), after: revision))
          while try await batches.next() != nil {}
        } == .historyLost
      )
    }
  }

  @Test func `the history of a store that was wiped is lost`() async throws {
    try await withEtcd { members in
      let store = try EtcdStore(members[0].url)
      for number in 1...9 as ClosedRange<UInt8> { try await put("a/1", [number], in: store) }
      let revision = try await store.load(.prefix("a/")).revision
      try await members[0].crash()
      try members[0].wipe()
      try await members[0].start()
      #expect(
        await storeError { try await store.changes(in: .prefix("a/"), after: revision) } == .historyLost
      )
      #expect(try await store.load(.prefix("a/")).entries == [])
    }
  }

  @Test func `an entry at the limit is taken, and a larger one is refused by etcd too`() async throws {
    try await withEtcd { members in
      let prefix = String(repeating: "p", count: 1023) + "/"
      let store = try EtcdStore(members[0].url, prefix: prefix)
      let key = String(repeating: "k", count: store.limits.bytesPerKey)
      let bytes = [UInt8](repeating: 7, count: store.limits.bytesPerEntry)
      let lease = try await store.grantLease(ttl: .seconds(60))
      let write = StoreWrite(key: key, bytes: bytes, expected: .absent, lease: lease)
      guard case .applied(let revision) = try await store.write(write) else { throw StoreError.leaseEnded }
      #expect(
        try await store.load(.key(key)).entries == [StoreEntry(key: key, bytes: bytes, revision: revision)]
      )
      // etcd itself refuses two megabytes, without counting base64.
      let value = Data(repeating: 7, count: 2_000_000).base64EncodedString()
      let answer = try await members[0].post("/v3/kv/put", #"{"key":"YQ==","value":"\#(value)"}"#)
      #expect(answer.contains("request is too large"))
      #expect(
        await storeError { try await put("a", [UInt8](repeating: 7, count: 2_000_000), in: store) }?.isRefusal
          == true
      )
    }
  }

  @Test func `a member without space refuses a write, and a ttl that is too long`() async throws {
    try await withEtcd(["--quota-backend-bytes", "20000"]) { members in
      let store = try EtcdStore(members[0].url)
      let write = StoreWrite(key: "a", bytes: [UInt8](repeating: 7, count: 1000), expected: .absent)
      let error = await storeError { try await store.write(write) }
      #expect(error?.isRefusal == true)
      #expect(error?.description.contains("--quota-backend-bytes") == true)
      #expect(try await store.load(.key("a")).entries == [])
    }
    try await withEtcd { members in
      let store = try EtcdStore(members[0].url)
      let error = await storeError { try await store.grantLease(ttl: .seconds(10_000_000_000)) }
      #expect(error?.isRefusal == true)
      #expect(error?.description.contains("shorter") == true)
    }
  }

  @Test func `a scope of large entries can be loaded`() async throws {
    try await withEtcd { members in
      let store = try EtcdStore(members[0].url)
      let bytes = [UInt8](repeating: 7, count: 1 << 20)
      for number in 10..<34 { try await put("large/\(number)", bytes, in: store) }
      #expect(try await store.load(.prefix("large/")).entries.count == 24)
    }
  }

  @Test func `the pages of a large load are of one revision, while others write`() async throws {
    try await withEtcd { members in
      let store = try EtcdStore(members[0].url)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for part in 0..<8 {
          group.addTask {
            for number in 0..<64 { try await put("many/\(part)/\(number)", [UInt8(number)], in: store) }
          }
        }
        try await group.waitForAll()
      }
      // The writer writes to the first page, and then the same to the last page.
      let writer = Task {
        for number in 1...60 as ClosedRange<UInt8> {
          for key in ["many/!", "many/~"] { try await put(key, [number], in: store) }
        }
      }
      for _ in 0..<8 {
        let snapshot = try await store.load(.prefix("many/"))
        let first = snapshot.entries.first { $0.key == "many/!" }?.bytes[0] ?? 0
        let last = snapshot.entries.first { $0.key == "many/~" }?.bytes[0] ?? 0
        #expect(first == last || first == last + 1)
        #expect(snapshot.entries.count >= 8 * 64)
        #expect(snapshot.entries.allSatisfy { $0.revision <= snapshot.revision })
      }
      try await writer.value
    }
  }

  @Test func `a user logs in, and stays logged in when tokens expire`() async throws {
    try await withEtcd(["--auth-token-ttl", "1"]) { members in
      try await members[0].addUsers()
      let user = EtcdCredentials(user: "u", password: "right")
      let store = try EtcdStore(members[0].url, prefix: "allowed/", credentials: user)
      let revision = try await put("a", [0], in: store)
      var batches = Batches(try await store.changes(in: .key("a"), after: revision))
      // etcd forgets a token a second after its last use: a lease of two seconds ends after that.
      let lease = try await store.grantLease(ttl: .seconds(2))
      _ = try await store.write(StoreWrite(key: "a", bytes: [1], expected: .anything, lease: lease))
      var changes: [StoreChange] = []
      while changes.count < 2 { changes += try await batches.next() ?? [] }
      #expect(changes.last?.key == "a")
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<8 as Range<UInt8> {
          group.addTask { try await put("b\(number)", [number], in: store) }
        }
        try await group.waitForAll()
      }
      _ = try await store.changes(in: .key("a"), after: revision)
    }
  }

  @Test func `what a user may not do is refused`() async throws {
    try await withEtcd { members in
      try await members[0].addUsers()
      let url = members[0].url
      let stores = [
        "pass credentials": try EtcdStore(url, prefix: "allowed/"),
        "correct the credentials": try EtcdStore(
          url,
          credentials: EtcdCredentials(user: "u", password: "wrong")
        ),
        "grant a role": try EtcdStore(url, credentials: EtcdCredentials(user: "u", password: "right")),
      ]
      for (remedy, store) in stores {
        for error in [
          await storeError { try await store.load(.key("a")) },
          await storeError { try await put("a", [1], in: store) },
          await storeError { try await store.changes(in: .key("a"), after: StoreRevision(1)) },
        ] {
          #expect(error?.isRefusal == true)
          #expect(error?.description.contains(remedy) == true)
        }
      }
    }
  }
}
