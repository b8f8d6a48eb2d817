import ActorBindings
import ActorBindingsSharing
import Testing

/// All cells and dictionaries of a folder share one subscription.
@Suite(.timeLimit(.minutes(9))) struct OneSubscriptionTests {
  private let store = CountingStore(InMemoryStore())

  private func key(_ number: Int) -> String { "config/\(number)" }

  /// Counts what it decodes.
  private func codec(_ decodes: BindableActor<Int>) -> StoreCodec<Int> {
    StoreCodec {
      Array("\($0)".utf8)
    } decode: { bytes in
      decodes.modify { $0 += 1 }
      return Int(String(decoding: bytes, as: UTF8.self)) ?? 0
    }
  }

  @Test(arguments: [2_500, 10_000])
  func `many cells of one folder cost one subscription, and a change concerns one of them`(_ count: Int)
    async throws
  {
    for number in 0..<count { try await store.put(number, key(number)) }
    let decodes = BindableActor(0)
    let codec = codec(decodes)
    var cells: [SharedCell<Int>] = []
    for number in 0..<count {
      let cell = SharedCell(key(number), in: store, initially: 0, codec: codec)
      cell.start()
      try await cell.ready()
      #expect(cell.value == number)
      cells.append(cell)
    }
    _ = await cells[count - 1].link.first { $0 == .live }
    // Each cell that entered cost the decoding of its own value, and nothing that grows with the number of cells.
    #expect(store.loads.value == 1)
    #expect(store.subscriptions.value == 1)
    #expect(decodes.value == count)
    #expect(store.followers.loopCount == 1)
    #expect(store.base.subscriptionCount == 1)
    try await store.put(-1, key(7))
    _ = await cells[7].first { $0 == -1 }
    #expect(decodes.value == count + 1)
    cells = []
    await leftNothing()
  }

  @Test func `cells that leave do not end the subscription of those that stay`() async throws {
    let stays = SharedCell("config/a", in: store, initially: 0)
    let leaves = SharedCell("config/b", in: store, initially: 0)
    let names = SharedDictionary<String, Int>("config/", in: store)
    for token in [leaves.start(), names.start(), stays.start()].dropLast() {
      try await stays.ready()
      await token.cancelAndWait()
    }
    try await store.put(3, "config/a")
    _ = await stays.first { $0 == 3 }
    #expect(store.loads.value == 1)
  }

  @Test func `cells of two folders have two subscriptions`() async throws {
    let cells = ["a/x", "a/y", "b/x", "x", "y"].map { SharedCell($0, in: store, initially: 0) }
    for cell in cells {
      cell.start()
      _ = await cell.link.first { $0 == .live }
    }
    #expect(store.subscriptions.value == 4)
  }

  @Test func `a dictionary and a cell of its prefix see the same entries`() async throws {
    let names = SharedDictionary<String, Int>("config/", in: store)
    let cell = SharedCell("config/a", in: store, initially: 0)
    names.start()
    cell.start()
    try await names.ready()
    try await cell.ready()
    try await cell.modify { $0 = 4 }
    _ = await names.source(forKey: "a").first { $0 == 4 }
    try await names.modify(forKey: "a") { $0 = 5 }
    _ = await cell.first { $0 == 5 }
    #expect(store.subscriptions.value == 1)
  }

  @Test func `after the last cell has left, the next one begins again`() async throws {
    for round in 1...3 {
      let cell = SharedCell("config/a", in: store, initially: 0)
      let token = cell.start()
      _ = await cell.link.first { $0 == .live }
      await token.cancelAndWait()
      await leftNothing()
      #expect(store.loads.value == round)
    }
  }

  private func leftNothing() async {
    while store.followers.loopCount + store.followers.taskCount + store.base.subscriptionCount > 0 {
      await Task.yield()
    }
  }
}
