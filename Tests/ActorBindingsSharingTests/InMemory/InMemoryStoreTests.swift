import ActorBindingsSharing
import ActorBindingsTesting
import Testing

@Suite struct InMemoryStoreTests {
  @Test(arguments: StoreContract.checks)
  func `keeps the contract`(_ check: StoreContract.Check) async throws {
    // A ttl that the pauses of a busy machine do not reach.
    try await check.run(on: InMemoryStore(limits: StoreLimits(shortestTTL: .seconds(1))))
  }
}
