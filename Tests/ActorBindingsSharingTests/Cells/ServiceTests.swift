import ActorBindings
import ActorBindingsSharing
import Testing

/// A protocol in the shape of ServiceLifecycle's `Service`.
private protocol Service: Sendable {
  func run() async throws
}

// What a program writes to hand its cells to a `ServiceGroup`.
extension SharedCell: Service {}
extension SharedDictionary: Service {}

@Suite(.timeLimit(.minutes(9))) struct ServiceTests {
  @Test func `a cell and a dictionary are services`() async throws {
    let store = InMemoryStore()
    let cell = SharedCell("config/a", in: store, initially: 0)
    let names = SharedDictionary<String, Int>("names/", in: store)
    let services: [any Service] = [cell, names]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for service in services { group.addTask { try await service.run() } }
      _ = await cell.link.first { $0 == .live }
      _ = await names.link.first { $0 == .live }
      group.cancelAll()
      try await group.waitForAll()
    }
    #expect(store.subscriptionCount == 0)
  }
}
