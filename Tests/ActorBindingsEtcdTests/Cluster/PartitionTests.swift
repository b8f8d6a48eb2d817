import ActorBindings
import ActorBindingsEtcd
import ActorBindingsSharing
import Testing

/// Cells that follow a member of etcd through a network that fails.
@Suite(.timeLimit(.minutes(2)), .enabled(if: EtcdMember.isWanted, EtcdMember.condition))
struct PartitionTests {
  private struct Scene {
    let member: EtcdMember
    let proxy: Proxy
    /// Follows the member through the proxy.
    let reader: SharedCell<Int>
    /// Writes past the proxy.
    let writer: SharedCell<Int>
  }

  /// Runs `body` with a member, and with a cell behind a proxy that is live.
  private func withScene(_ body: (Scene) async throws -> Void) async throws {
    try await withEtcd { members in
      let proxy = try Proxy(to: members[0].port)
      defer { proxy.end() }
      let scene = Scene(
        member: members[0],
        proxy: proxy,
        reader: SharedCell("config/a", in: try EtcdStore(proxy.url), initially: 0),
        writer: SharedCell("config/a", in: try EtcdStore(members[0].url), initially: 0)
      )
      let running = scene.reader.start()
      defer { running.cancel() }
      try await scene.reader.ready()
      _ = await scene.reader.link.first { $0 == .live }
      try await body(scene)
    }
  }

  private func waitUntilStale(_ cell: SharedCell<Int>) async {
    _ = await cell.link.first { if case .stale = $0 { true } else { false } }
  }

  @Test(arguments: [true, false])
  func `a cell says that it is stale after a silent cut, and then has the newest value`(
    freezes: Bool
  ) async throws {
    try await withScene { scene in
      if freezes { scene.proxy.freeze() } else { scene.proxy.cut() }
      for number in 1...5 { try await scene.writer.modify { $0 = number } }
      await waitUntilStale(scene.reader)
      #expect(scene.reader.value == 0)
      scene.proxy.heal()
      _ = await scene.reader.first { $0 == 5 }
      _ = await scene.reader.link.first { $0 == .live }
      // The cell follows again.
      try await scene.writer.modify { $0 = 6 }
      _ = await scene.reader.first { $0 == 6 }
    }
  }

  @Test func `a slow network delays, and loses nothing`() async throws {
    try await withScene { scene in
      scene.proxy.delay(0.2)
      for number in 1...3 { try await scene.writer.modify { $0 = number } }
      _ = await scene.reader.first { $0 == 3 }
      try await scene.reader.modify { $0 += 1 }
      #expect(scene.reader.value == 4)
    }
  }

  @Test func `a cell has the newest value if the changes while it was cut off were compacted`() async throws {
    try await withScene { scene in
      scene.proxy.cut()
      await waitUntilStale(scene.reader)
      for number in 1...9 { try await scene.writer.modify { $0 = number } }
      let store = try EtcdStore(scene.member.url)
      try await scene.member.compact(before: try await store.load(.key("config/a")).revision.number)
      scene.proxy.heal()
      _ = await scene.reader.first { $0 == 9 }
    }
  }

  @Test(arguments: [0, 50])
  func `a cell has the value of a store that replaced its own, behind or further on`(
    writes: Int
  ) async throws {
    try await withScene { scene in
      for number in 1...9 { try await scene.writer.modify { $0 = number } }
      _ = await scene.reader.first { $0 == 9 }
      scene.proxy.cut()
      await waitUntilStale(scene.reader)
      try await scene.member.crash()
      try scene.member.wipe()
      try await scene.member.start()
      let store = try EtcdStore(scene.member.url)
      let writer = SharedCell("config/a", in: store, initially: 0)
      try await writer.modify { $0 = 100 }
      for number in 0..<writes {
        _ = try await store.write(StoreWrite(key: "other", bytes: [UInt8(number)], expected: .anything))
      }
      scene.proxy.heal()
      _ = await scene.reader.first { $0 == 100 }
    }
  }

  @Test func `each modify is applied once, although acknowledgements are lost`() async throws {
    try await withScene { scene in
      let breaking = Task {
        var number = 0
        // Each change that another writer sees is an occasion: writes of the reader are under way then.
        for await _ in scene.writer.values {
          number += 1
          if number % 5 != 0 { continue }
          scene.proxy.cut()
          scene.proxy.heal()
        }
      }
      let running = scene.writer.start()
      for _ in 0..<60 { try await scene.reader.modify { $0 += 1 } }
      breaking.cancel()
      running.cancel()
      #expect(try await read("config/a", of: scene.member.url) == 60)
    }
  }

  @Test func `an endpoint that takes requests and does not answer is left for the next one`() async throws {
    try await withScene { scene in
      let frozen = try Proxy(to: scene.member.port)
      defer { frozen.end() }
      frozen.freeze()
      let cell = SharedCell("config/a", in: try EtcdStore(frozen.url, scene.member.url), initially: 0)
      let running = cell.start()
      defer { running.cancel() }
      try await scene.writer.modify { $0 = 1 }
      try await cell.modify { $0 += 1 }
      #expect(cell.value == 2)
      _ = await cell.link.first { $0 == .live }
    }
  }
}
